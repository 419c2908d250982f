// bifold-bench: what the devices of a machine are, and how fast bifold is on them.
// Exit status: 0; 1 when a result was wrong or something failed; 2 for a bad command line; 130
// after an interrupt.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bifold/version.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/standard_output.hpp"
#include "base/usage_error.hpp"
#include "cli/help.hpp"
#include "cli/subcommands.hpp"
#include "commands/run/run.hpp"
#include "commands/startup/startup.hpp"
#include "commands/stream/stream.hpp"
#include "core/base/nearest.hpp"

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
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

int run_subcommand(std::string_view name, const bench::Arguments& arguments) {
  if (name == "list") return bench::list_devices(arguments.list);
  if (name == "run") return bench::run_benchmark(bench::understand(arguments.run));
  if (name == "compare") return bench::run_compare(arguments.compare);
  if (name == "gallery") return bench::run_gallery(bench::understand(arguments.gallery));
  if (name == "check") return bench::run_check(bench::understand(arguments.check));
  if (name == "tune") return bench::run_tune(bench::understand(arguments.tune));
  if (name == "accuracy") return bench::run_accuracy(arguments.accuracy);
  if (name == "startup") return bench::run_startup(arguments.startup);
  if (name == "stream") return bench::run_stream(arguments.stream);
  if (name == "kernel") return bench::run_kernel(arguments.kernel);
  return bench::run_report(arguments.report);
}

int run_tool(int argc, char** argv) {
  CLI::App app("Measures reduction and scan on every device of this machine", "bifold-bench");
  app.set_version_flag("--version", std::string(bifold::version()));
  app.require_subcommand(0, 1);
  app.footer(
      "A file to write that is called - is the standard output; everything else that would go\n"
      "there goes to the standard error then.");
  app.formatter(std::make_shared<bench::HelpFormatter>());
  bench::Arguments arguments;
  bench::add_subcommands(app, arguments);
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
  if (arguments.wide) bench::allow_wide_text();
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (!chosen.empty()) return run_subcommand(chosen.front()->get_name(), arguments);
  std::vector<std::string> names;
  for (const CLI::App* const known : app.get_subcommands(nullptr)) {
    names.push_back(known->get_name());
  }
  throw bench::UsageError(bench::formatted("a command is required: {} (--help tells more)",
                                           bench::joined(names, ", ")));
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
