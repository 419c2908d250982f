#include "commands/gallery/gallery.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/output_file.hpp"
#include "base/sizes.hpp"
#include "base/unknown_name.hpp"
#include "base/usage_error.hpp"
#include "commands/gallery/json.hpp"
#include "commands/gallery/list.hpp"
#include "commands/gallery/render.hpp"
#include "commands/gallery/tables.hpp"
#include "measure/options.hpp"
#include "measure/runner.hpp"

namespace bench {
namespace {

/// A row that is expected to take longer per call is skipped: three samples and the verified call
/// would be a minute of it.
constexpr double longest_call_s = 10;

std::vector<const Paper*> choose_papers(const std::vector<std::string>& names) {
  const auto asked_for = [&](std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const Paper*> chosen;
  std::vector<std::string_view> known;
  for (const Paper& paper : papers()) {
    known.push_back(paper.name);
    if (asked_for(paper.name) || asked_for("all")) chosen.push_back(&paper);
  }
  for (const std::string& name : names) {
    if (name == "all" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw unknown_name("--paper", name, known);
  }
  return chosen;
}

void check_combination(const GalleryOptions& options) {
  if (options.list && (options.chosen_papers || !options.from.empty() || options.max_size)) {
    throw UsageError("--list: names every variant, it takes no --paper, --from or --max-size");
  }
  const bool measures = !options.devices.empty() || options.max_size || !options.json.empty();
  if (!options.from.empty() && measures) {
    throw UsageError("--from: shows an earlier run, it takes no --device, --max-size or --json");
  }
}

GalleryReport measured(const GalleryOptions& options) {
  GalleryReport report{begin_measurements(), options};
  std::vector<Session> sessions = open_sessions(options.devices, options.budget, report);
  for (std::size_t device = 0; device < sessions.size(); ++device) {
    auto results = gallery_results(options, device, sessions[device].device().info().kind);
    std::move(results.begin(), results.end(), std::back_inserter(report.results));
  }
  measure_all(report, sessions, options.budget,
              options.progress ? ProgressMode::automatic : ProgressMode::off);
  for (std::size_t device = 0; device < report.devices.size(); ++device) {
    auto& sizes = report.devices[device].sizes;
    for (const Result& result : report.results) {
      if (result.what.device == device) sizes.push_back(result.what.n);
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  }
  return report;
}

}  // namespace

GalleryOptions understand(const GalleryArguments& arguments) {
  GalleryOptions options;
  options.list = arguments.list;
  options.devices = understand_devices(arguments.devices);
  options.papers = choose_papers(arguments.papers);
  options.chosen_papers = !arguments.papers.empty();
  if (!arguments.max_size.empty()) options.max_size = parse_size("--max-size", arguments.max_size);
  options.budget = understand_budget({}, arguments.seconds, arguments.samples);
  options.budget.longest_call_s = longest_call_s;
  options.from = arguments.from;
  options.json = arguments.json;
  options.markdown = arguments.markdown;
  options.progress = !arguments.no_progress;
  check_combination(options);
  return options;
}

int run_gallery(const GalleryOptions& options) {
  if (!options.json.empty()) check_writable("--json", options.json);
  if (!options.markdown.empty()) check_writable("--markdown", options.markdown);
  if (options.list) return list_gallery(options);
  const GalleryReport report = options.from.empty() ? measured(options) : read_gallery(options);
  print_text("{}", gallery_as_text(report));
  if (!options.json.empty()) write_whole("--json", options.json, gallery_as_json(report));
  if (!options.markdown.empty()) {
    write_whole("--markdown", options.markdown, gallery_as_markdown(report));
  }
  // What was shown again was judged when it was measured.
  return report.all_well() || !options.from.empty() ? 0 : 1;
}

}  // namespace bench
