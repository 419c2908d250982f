#include "commands/compare/compare.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/output_file.hpp"
#include "base/usage_error.hpp"
#include "commands/run/run.hpp"
#include "comparison/comparison.hpp"
#include "comparison/html.hpp"
#include "comparison/scaling.hpp"
#include "comparison/tables.hpp"
#include "document/run_document.hpp"

namespace bench {
namespace {

constexpr int exit_differ = 1;
constexpr int exit_unknown = 3;

/// The first device that two backends share, as selectors: what --backends is without --device.
std::vector<std::string> shared_device() {
  const std::vector<bifold::DeviceInfo> devices = bifold::devices();
  for (const bifold::DeviceInfo& a : devices) {
    for (const bifold::DeviceInfo& b : devices) {
      if (a.backend == "cuda" && b.backend == "opencl" && a.name == b.name) {
        return {a.selector, b.selector};
      }
    }
  }
  throw UsageError(
      "--backends: no device is there through both CUDA and OpenCL; --device names two to compare");
}

RunFile run_backends(RunArguments arguments) {
  if (arguments.suite.empty()) arguments.suite = "quick";
  if (arguments.devices.empty()) arguments.devices = shared_device();
  const RunOptions options = understand(arguments);
  check_run_file(options);
  const Report report = measure_run(options);
  print_text("\n");
  write_run(report);
  return run_file_of(report);
}

int status_of(const Comparison& comparison) {
  const bool wrong =
      std::any_of(comparison.files.begin(), comparison.files.end(), [](const RunFile& run) {
        const auto bad = [](const auto& result) {
          return result.outcome == Outcome::wrong || result.outcome == Outcome::failed;
        };
        return std::ranges::any_of(run.results, bad) || std::ranges::any_of(run.groups, bad);
      });
  const auto groups = groups_of(comparison);
  const bool groups_differ = std::ranges::any_of(groups, [](const GroupResult* group) {
    return group->outcome == Outcome::timed && !group->same_bits();
  });
  if (wrong || groups_differ || comparison.count(BitsAgreement::differ) > 0) return exit_differ;
  const bool any_agree = comparison.count(BitsAgreement::agree) > 0 ||
                         std::ranges::any_of(groups, &GroupResult::same_bits);
  return any_agree ? 0 : exit_unknown;
}

}  // namespace

int run_compare(const CompareArguments& arguments) {
  if (!arguments.html.empty()) check_charts("--html");
  const std::pair<const char*, const std::string&> outputs[]{
      {"--markdown", arguments.markdown}, {"--csv", arguments.csv}, {"--html", arguments.html}};
  for (const auto& [option, file] : outputs) {
    if (!file.empty()) check_writable(option, file);
  }
  if (arguments.files.empty() && !arguments.backends) {
    throw UsageError("compare: name files of `run --json`, or give --backends");
  }
  std::vector<RunFile> files;
  files.reserve(arguments.files.size() + 1);
  for (const std::string& file : arguments.files) files.push_back(read_run_file(file));
  if (arguments.backends) files.push_back(run_backends(arguments.run));
  const Comparison comparison = compare(std::move(files));

  print_text("{}", comparison_as_text(comparison, arguments.full));
  if (!arguments.markdown.empty()) {
    write_whole("--markdown", arguments.markdown, comparison_as_markdown(comparison));
  }
  if (!arguments.csv.empty()) write_whole("--csv", arguments.csv, comparison_as_csv(comparison));
  if (!arguments.html.empty()) {
    write_whole("--html", arguments.html, comparison_as_html(comparison));
  }
  if (interrupted()) return exit_interrupted;
  return status_of(comparison);
}

}  // namespace bench
