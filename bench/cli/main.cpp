// bifold-bench: what the devices of a machine are, and how fast bifold is on them.
// Exit status: 0; 1 when a result was wrong or something failed; 2 for a bad command line.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bifold/version.hpp>
#include <csignal>
#include <exception>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/standard_output.hpp"
#include "base/usage_error.hpp"
#include "commands/accuracy/accuracy.hpp"
#include "commands/check/check.hpp"
#include "commands/compare/command.hpp"
#include "commands/gallery/gallery.hpp"
#include "commands/kernel/kernel_command.hpp"
#include "commands/list/list.hpp"
#include "commands/run/run.hpp"
#include "commands/startup/startup.hpp"
#include "commands/tune/tune.hpp"
#include "core/base/nearest.hpp"
#include "data/types.hpp"
#include "measure/options.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
/// That are named at once; none stands for all.
constexpr int most_peers = 16;

/// A list option: one value each time it is given, or several joined by commas.
void add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
              const std::string& help) {
  app.add_option(name, values, help)->allow_extra_args(false)->delimiter(',');
}

std::string names_of(std::span<const bifold::Type> types) {
  std::vector<std::string_view> names;
  names.reserve(types.size());
  for (const bifold::Type type : types) names.push_back(bifold::name_of(type));
  return bench::joined(names, " ");
}

CLI::App& add_list_command(CLI::App& app, std::string& json) {
  CLI::App& command = *app.add_subcommand("list", "What backends and devices there are");
  command.add_option("--json", json, "Write the same to this file");
  return command;
}

CLI::App& add_run_command(CLI::App& app, bench::RunArguments& arguments) {
  CLI::App& command = *app.add_subcommand("run", "Verify and time reduce and scan");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--algorithm", arguments.algorithms, "reduce, scan; default: all");
  add_list(command, "--order", arguments.orders,
           "What production keeps to: v1, any, or all; default: v1");
  add_list(command, "--variant", arguments.variants,
           "Kernel variant as `list` names it, or all; default: production");
  add_list(command, "--type", arguments.types,
           bench::formatted("{}, all of these, or a struct: {}; default: i32, f32",
                            names_of(bench::builtin_types()), names_of(bench::struct_types)));
  add_list(command, "--op", arguments.operators,
           "plus multiplies minimum maximum bit_and bit_or bit_xor logical_and logical_or or all; "
           "default: plus");
  command.add_option("--kind", arguments.kind, "Kind of scan: inclusive or exclusive")
      ->capture_default_str();
  add_list(command, "--size", arguments.sizes,
           "Elements: 1000, 2^20, 64Ki, 2^10..2^30 in steps of 4 times, 2^10..2^30:2; default: "
           "2^10..2^30 on a GPU, 2^10..2^26 on a CPU");
  command.add_option("--seconds", arguments.seconds,
                     "Time for the samples of a configuration; default: 0.25");
  command.add_option("--samples", arguments.samples,
                     "Samples to aim at within that time; default: 15");
  command.add_option("--offset", arguments.first_element,
                     "Elements from where buffers start to the first one used, each call in turns "
                     "with the same from where they start; default: 0");
  command
      .add_option(
          "--peers", arguments.peers,
          "Measure other libraries beside bifold, in three regimes and in CUDA graphs: cub "
          "cub_other cub64 thrust boost_compute clblast tbb; without a name: all that are here")
      ->expected(0, most_peers)
      ->default_str("all")
      ->delimiter(',');
  command.add_flag("--no-graphs", arguments.no_graphs, "With --peers, leave out CUDA graphs");
  command.add_option("--markdown", arguments.markdown, "Write the tables of --peers to this file");
  command.add_option("--json", arguments.json, "Write settings and results to this file");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
  command.add_option("--suite", arguments.suite,
                     "The run that everybody makes alike, for `compare`: standard or quick");
  command.add_flag("--no-resume", arguments.no_resume,
                   "Leave what an interrupted run of the suite has kept");
  command.add_flag("--quick", arguments.quick, "Fewer sizes and less time, for a first look");
  return command;
}

CLI::App& add_compare_command(CLI::App& app, bench::CompareArguments& arguments) {
  CLI::App& command = *app.add_subcommand("compare", "Runs of several devices side by side");
  command.add_option("files", arguments.files, "What `run --json` and `gallery --json` wrote");
  command.add_flag("--backends", arguments.backends,
                   "Run the quick suite by CUDA and OpenCL on one GPU, and compare that");
  command.add_option("--markdown", arguments.markdown, "Write the same to this file");
  command.add_option("--csv", arguments.csv, "Write a line for each configuration and device");
  command.add_option("--html", arguments.html, "Write a page with charts");
  bench::RunArguments& run = arguments.run;
  std::vector<CLI::Option*> of_backends;
  const auto add_for_run = [&](const std::string& name, std::vector<std::string>& values,
                               const std::string& help) {
    of_backends.push_back(command.add_option(name, values, "With --backends: " + help)
                              ->allow_extra_args(false)
                              ->delimiter(','));
  };
  add_for_run("--device", run.devices, "the devices; default: one that both backends have");
  add_for_run("--algorithm", run.algorithms, "as for run");
  add_for_run("--type", run.types, "as for run");
  add_for_run("--size", run.sizes, "as for run");
  of_backends.push_back(
      command.add_option("--suite", run.suite, "With --backends: standard or quick"));
  of_backends.push_back(
      command.add_option("--json", run.json, "With --backends: write the run to this file"));
  of_backends.push_back(
      command.add_flag("--no-progress", run.no_progress, "With --backends: no progress bar"));
  for (CLI::Option* option : of_backends) option->needs("--backends");
  return command;
}

CLI::App& add_gallery_command(CLI::App& app, bench::GalleryArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("gallery", "The kernels of the papers beside the papers' figures");
  command.add_flag("--list", arguments.list, "Name every row and which device runs it, and end");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--paper", arguments.papers,
           "jradi harris oancea luitjens dillhoff single-pass or all; default: all");
  command.add_option("--max-size", arguments.max_size,
                     "Skip sizes above this; default: none on a GPU, 2^26 on a CPU");
  command.add_option("--seconds", arguments.seconds,
                     "Time for the samples of a line; default: 0.25");
  command.add_option("--samples", arguments.samples,
                     "Samples to aim at within that time; default: 15");
  command.add_option("--json", arguments.json, "Write settings and results to this file");
  command.add_option("--markdown", arguments.markdown, "Write the tables to this file");
  command.add_option("--from", arguments.from,
                     "Show what --json wrote before, instead of measuring");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
  return command;
}

CLI::App& add_check_command(CLI::App& app, bench::CheckArguments& arguments) {
  CLI::App& command = *app.add_subcommand("check", "Whether the devices compute our kernels right");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--variant", arguments.variants,
           "Kernel variant as `list` names it, or all; default: what production may pick");
  command.add_option("--seconds", arguments.seconds,
                     "Time for the repeated runs on each device; default: 6");
  command.add_option("--json", arguments.json, "Write the same to this file");
  command.add_flag("--no-store", arguments.no_store,
                   "Leave production as it is: do not store the verdict");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
  return command;
}

CLI::App& add_tune_command(CLI::App& app, bench::TuneArguments& arguments) {
  CLI::App& command = *app.add_subcommand("tune", "Search for better tuning values on the devices");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--type", arguments.types,
           "As for `run`; default: one type of each width and kind");
  add_list(command, "--size", arguments.sizes,
           "Elements, three sizes at least; default: small to large, as suits device and row");
  command.add_option("--seconds", arguments.seconds, "Time for each device; default: 300");
  command.add_option("--output", arguments.output, "Write the tuning file here");
  command.add_flag("--install", arguments.install,
                   "Write it beside the kernel cache, where the library looks for it");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
  return command;
}

CLI::App& add_accuracy_command(CLI::App& app, bench::AccuracyArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("accuracy", "Errors of sums in order v1 and others, beside exact sums");
  add_list(command, "--device", arguments.devices,
           "Selector of a device that has to give the same bits; default: none");
  command.add_option("--max-size", arguments.max_size, "Skip sizes above this; default: none");
  command.add_option("--markdown", arguments.markdown, "Write the table to this file");
  return command;
}

CLI::App& add_startup_command(CLI::App& app, bench::StartupArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("startup", "What a first call costs, kernel caches empty and warm");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--type", arguments.types, "As for run; default: f32");
  command.add_option("--size", arguments.size, "Elements; default: 2^20");
  command.add_option("--json", arguments.json, "Write the same to this file");
  return command;
}

CLI::App& add_kernel_command(CLI::App& app, bench::KernelArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("kernel", "The text of a kernel as it is compiled; needs no device");
  command.add_option("algorithm", arguments.algorithm, "reduce or scan")->required();
  command.add_option("variant", arguments.variant, "As `list` names it; default: production");
  command.add_option("--type", arguments.type, "As for run; default: i32");
  command.add_option("--output", arguments.output, "Type of the results; default: the same");
  command.add_option("--accumulator", arguments.accumulator, "Default: as the results need it");
  command.add_option("--op", arguments.op, "As for run; default: plus");
  command.add_option("--kind", arguments.kind, "Kind of scan: inclusive or exclusive")
      ->capture_default_str();
  command.add_option("--order", arguments.order, "What production keeps to: v1 or any")
      ->capture_default_str();
  command.add_option("--arch", arguments.arch, "sm_90 and the like, cpu or gpu; default: sm_90");
  command.add_option("--backend", arguments.backend,
                     "cuda or opencl; default: cuda for sm_90, opencl for cpu and gpu");
  command.add_option("--device", arguments.device, "Plan as this device of the machine does");
  command.add_flag("--live", arguments.live, "Leave out what the kernel does not reach");
  command.footer(bench::kernel_help());
  return command;
}

int complain(std::string_view message, int status) {
  bench::print_error("bifold-bench: {}\n", bench::one_line(message));
  return status;
}

/// What a command line has that neither the tool nor the command takes, the first of it, and what
/// may have been meant.
bench::UsageError unexpected(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  std::string first;
  for (const CLI::App* const part : {&app, &command}) {
    const std::vector<std::string> rest = part->remaining();
    if (first.empty() && !rest.empty()) first = rest.front();
  }
  std::vector<std::string> words;
  const bool option = first.size() > 1 && first.front() == '-';
  if (option) {
    first.erase(std::min(first.find('='), first.size()));
    for (const CLI::Option* const known : command.get_options()) {
      for (const std::string& name : known->get_lnames()) words.push_back("--" + name);
      for (const std::string& name : known->get_snames()) words.push_back("-" + name);
    }
  } else if (commands.empty()) {
    for (const CLI::App* const known : app.get_subcommands(nullptr)) {
      words.push_back(known->get_name());
    }
  }
  const std::vector<std::string_view> known(words.begin(), words.end());
  const std::string near = bifold::core::suggestion(first, known);
  const std::string what = option             ? "unknown option"
                           : commands.empty() ? "unknown command"
                                              : "unexpected argument";
  return bench::UsageError(
      bench::formatted("{}{}{} \"{}\"{}", commands.empty() ? "" : command.get_name(),
                       commands.empty() ? "" : ": ", what, first,
                       !option && commands.empty() && near.empty()
                           ? bench::formatted(" (choose from {})", bench::joined(known, ", "))
                           : near));
}

int run_tool(int argc, char** argv) {
  CLI::App app("Measures reduction and scan on every device of this machine", "bifold-bench");
  app.set_version_flag("--version", std::string(bifold::version()));
  app.require_subcommand(0, 1);
  app.footer(
      "A file to write that is called - is the standard output; everything else that would go\n"
      "there goes to the standard error then.");
  std::string list_json;
  bench::RunArguments run_arguments;
  bench::CompareArguments compare_arguments;
  bench::GalleryArguments gallery_arguments;
  bench::CheckArguments check_arguments;
  bench::TuneArguments tune_arguments;
  bench::AccuracyArguments accuracy_arguments;
  bench::StartupArguments startup_arguments;
  bench::KernelArguments kernel_arguments;
  const CLI::App& list = add_list_command(app, list_json);
  const CLI::App& run = add_run_command(app, run_arguments);
  const CLI::App& compare = add_compare_command(app, compare_arguments);
  const CLI::App& gallery = add_gallery_command(app, gallery_arguments);
  const CLI::App& check = add_check_command(app, check_arguments);
  const CLI::App& tune = add_tune_command(app, tune_arguments);
  const CLI::App& accuracy = add_accuracy_command(app, accuracy_arguments);
  const CLI::App& startup = add_startup_command(app, startup_arguments);
  const CLI::App& kernel = add_kernel_command(app, kernel_arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream text;  // --help or --version
    const int status = app.exit(success, text, text);
    bench::write_text(text.str());
    return status;
  } catch (const CLI::ExtrasError&) {
    return complain(unexpected(app).what(), exit_usage);
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), exit_usage);
  }
  if (list.parsed()) return bench::list_devices(list_json);
  if (run.parsed()) return bench::run_benchmark(bench::understand(run_arguments));
  if (compare.parsed()) return bench::run_compare(compare_arguments);
  if (gallery.parsed()) return bench::run_gallery(bench::understand(gallery_arguments));
  if (check.parsed()) return bench::run_check(bench::understand(check_arguments));
  if (tune.parsed()) return bench::run_tune(bench::understand(tune_arguments));
  if (accuracy.parsed()) return bench::run_accuracy(accuracy_arguments);
  if (startup.parsed()) return bench::run_startup(startup_arguments);
  if (kernel.parsed()) return bench::run_kernel(kernel_arguments);
  throw bench::UsageError(
      "a command is required: list, run, compare, gallery, check, tune, accuracy, startup or "
      "kernel (--help tells more)");
}

int status_of(int argc, char** argv) {
  try {
    return run_tool(argc, argv);
  } catch (const bench::UsageError& error) {
    return complain(error.what(), exit_usage);
  } catch (const std::exception& error) {
    return complain(error.what(), exit_failure);
  }
}

/// Failed writes are told by the calls that make them, and what is opened takes the place of no
/// standard stream: one that is closed cannot be written to.
void prepare_streams() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) (void)std::signal(signal, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_streams();
  const int status = status_of(argc, argv);
  const std::string problem = bench::standard_output_problem();
  if (problem.empty()) return status;
  return complain("the output cannot be written: " + problem, exit_failure);
}
