#include "cli/subcommands.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "cli/help.hpp"
#include "data/types.hpp"

namespace bench {
namespace {

/// Peers to compare with; none means all.
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
  return joined(names, " ");
}

void add_list_command(CLI::App& app, ListArguments& arguments) {
  CLI::App& command = *app.add_subcommand("list", "What backends and devices there are");
  command.add_flag("--full", arguments.full, "Every kernel variant, and what it cannot do");
  command.add_option("--json", arguments.json, "Write all of it to this file");
}

void add_run_command(CLI::App& app, RunArguments& arguments) {
  CLI::App& command = *app.add_subcommand("run", "Verify and time reduce and scan");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--devices", arguments.group,
           "Instead of --device: one array over several devices, as cuda:0,cuda:1; a rank each");
  command.add_flag("--ranks", arguments.ranks,
                   "With --devices, under mpirun: each process is a rank, and takes the device of "
                   "its number on its host");
  command.add_option("--scaling", arguments.scaling,
                     "With --devices, what --size counts: strong, all elements, or weak, those of "
                     "each rank; default: strong");
  add_list(command, "--algorithm", arguments.algorithms, "reduce, scan; default: all");
  add_list(command, "--order", arguments.orders,
           "What production keeps to: v1, any, or all; default: v1");
  add_list(command, "--variant", arguments.variants,
           "Kernel variant as `list` names it, or all; default: production");
  add_list(command, "--type", arguments.types,
           formatted("{}, all of these, or a struct: {}; default: i32, f32",
                     names_of(builtin_types()), names_of(struct_types)));
  add_list(command, "--op", arguments.operators,
           "plus multiplies minimum maximum bit_and bit_or bit_xor logical_and logical_or or all; "
           "default: plus");
  command.add_option("--kind", arguments.kind, "Kind of scan: inclusive or exclusive")
      ->capture_default_str();
  add_list(command, "--size", arguments.sizes,
           "Elements: 1000, 2^20, 64Ki, 2^10..2^30 in steps of 4 times, 2^10..2^30:2; default: "
           "2^10..2^30 on a GPU, 2^10..2^26 on a CPU");
  add_list(command, "--lines", arguments.lines,
           "Instead of --size: reduce or scan each line of matrices ROWSxCOLUMNS, as 4096x4096");
  add_list(command, "--axis", arguments.axes,
           "With --lines: 0 goes along columns, 1 along rows; default: all");
  command.add_option("--seconds", arguments.seconds,
                     "Time for the samples of a configuration; default: 0.25");
  command.add_option("--samples", arguments.samples,
                     "Samples to aim at within that time; default: 15");
  command.add_option("--offset", arguments.first_element,
                     "Elements from where buffers start to the first one used, each call in turns "
                     "with the same from where they start; default: 0");
  command
      .add_option("--peers", arguments.peers,
                  "Measure other libraries beside bifold, in three regimes and in CUDA graphs: cub "
                  "cub_other cub64 cub_segmented thrust boost_compute clblast tbb; without a name: "
                  "all that are here")
      ->expected(0, most_peers)
      ->default_str("all")
      ->delimiter(',');
  command.add_flag("--no-graphs", arguments.no_graphs, "With --peers, leave out CUDA graphs");
  command.add_option("--markdown", arguments.markdown, "Write the tables of --peers to this file");
  command.add_option("--json", arguments.json, "Write settings and results to this file");
  command.add_option("--html", arguments.html, "Write a page with charts");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
  command.add_option("--suite", arguments.suite,
                     "The run that everybody makes alike, for `compare`: standard or quick");
  command.add_flag("--no-resume", arguments.no_resume,
                   "Leave what an interrupted run of the suite has kept");
  command.add_flag("--quick", arguments.quick, "Fewer sizes and less time, for a first look");
}

void add_compare_command(CLI::App& app, CompareArguments& arguments) {
  CLI::App& command = *app.add_subcommand("compare", "Runs of several devices side by side");
  command.add_option("files", arguments.files, "What `run --json` and `gallery --json` wrote");
  command.add_flag("--backends", arguments.backends,
                   "Run the suite quick by CUDA and OpenCL on one GPU, and compare that");
  command.add_option("--markdown", arguments.markdown, "Write the same to this file");
  command.add_option("--csv", arguments.csv, "Write a line for each configuration and device");
  command.add_option("--html", arguments.html, "Write a page with charts");
  command.add_flag("--full", arguments.full, "Every table, not the summary alone");
  RunArguments& run = arguments.run;
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
}

void add_gallery_command(CLI::App& app, GalleryArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("gallery", "The kernels of the papers beside the papers' figures");
  command.add_flag("--list", arguments.list,
                   "Name every variant and which device runs it, and end");
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
}

void add_check_command(CLI::App& app, CheckArguments& arguments) {
  CLI::App& command = *app.add_subcommand("check", "Whether the devices compute our kernels right");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--variant", arguments.variants,
           "Kernel variant as `list` names it, or all; default: what production may pick");
  command.add_option("--seconds", arguments.seconds,
                     "Time for the repeated runs on each device; default: 6");
  command.add_option("--json", arguments.json, "Write the same to this file");
  command.add_flag("--no-store", arguments.no_store,
                   "Leave production as it is: do not store the result");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
}

void add_tune_command(CLI::App& app, TuneArguments& arguments) {
  CLI::App& command = *app.add_subcommand("tune", "Search for better tuning values on the devices");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--type", arguments.types,
           "As for `run`; default: one type of each width and kind");
  add_list(command, "--size", arguments.sizes,
           "Elements, three sizes at least; default: small to large, as suits device and variant");
  command.add_option("--seconds", arguments.seconds, "Time for each device; default: 300");
  command.add_option("--output", arguments.output, "Write the tuning file here");
  command.add_flag("--install", arguments.install,
                   "Write it beside the kernel cache, where the library looks for it");
  command.add_flag("--no-progress", arguments.no_progress, "No progress bar");
}

void add_accuracy_command(CLI::App& app, AccuracyArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("accuracy", "Errors of sums in order v1 and others, beside exact sums");
  add_list(command, "--device", arguments.devices,
           "Selector of a device that has to give the same bits; default: none");
  command.add_option("--max-size", arguments.max_size, "Skip sizes above this; default: none");
  command.add_option("--markdown", arguments.markdown, "Write the table to this file");
}

void add_startup_command(CLI::App& app, StartupArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("startup", "What a first call costs, kernel caches empty and warm");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--type", arguments.types, "As for run; default: f32");
  command.add_option("--size", arguments.size, "Elements; default: 2^20");
  command.add_option("--json", arguments.json, "Write the same to this file");
}

void add_stream_command(CLI::App& app, StreamArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("stream", "Reduce and scan chunks in host memory, beside copies alone");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
  add_list(command, "--type", arguments.types, "As for run; default: f32");
  command.add_option("--size", arguments.size, "Elements; default: 2^28 on a GPU, 2^23 on a CPU");
  command.add_option("--seconds", arguments.seconds, "Time for each row; default: 2");
  command.add_option("--csv", arguments.csv, "Write the medians to this file");
}

void add_kernel_command(CLI::App& app, KernelArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("kernel", "The text of a kernel as it is compiled; needs no device");
  command.add_option("algorithm", arguments.algorithm, "reduce, scan or select")->required();
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
  command.add_flag("--lines", arguments.lines, "Those of calls over lines, of each layout");
  command.add_flag("--segments", arguments.segments, "Those of reductions of segments");
  command.add_flag("--live", arguments.live, "Leave out what the kernel does not reach");
}

void add_report_command(CLI::App& app, ReportArguments& arguments) {
  CLI::App& command =
      *app.add_subcommand("report", "What a bug report has to say about this machine");
  add_list(command, "--device", arguments.devices,
           "Selector, as cuda:0 or opencl:cpu; default: all");
}

}  // namespace

void add_subcommands(CLI::App& app, Arguments& arguments) {
  add_list_command(app, arguments.list);
  add_run_command(app, arguments.run);
  add_compare_command(app, arguments.compare);
  add_gallery_command(app, arguments.gallery);
  add_check_command(app, arguments.check);
  add_tune_command(app, arguments.tune);
  add_accuracy_command(app, arguments.accuracy);
  add_startup_command(app, arguments.startup);
  add_stream_command(app, arguments.stream);
  add_kernel_command(app, arguments.kernel);
  add_report_command(app, arguments.report);
  for (CLI::App* const command : app.get_subcommands(nullptr)) {
    command->add_flag("--wide", arguments.wide, "Tables wider than 100 columns");
    command->footer(help_footer(command->get_name()));
  }
}

}  // namespace bench
