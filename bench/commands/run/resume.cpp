#include "commands/run/resume.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/output_file.hpp"
#include "base/usage_error.hpp"
#include "document/field.hpp"
#include "document/run_document.hpp"
#include "document/run_file.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

bool same_configuration(const Configuration& a, const Configuration& b) {
  return a.algorithm == b.algorithm && a.variant == b.variant && a.type == b.type && a.op == b.op &&
         a.kind == b.kind && a.n == b.n && a.matrix == b.matrix && a.order == b.order &&
         a.data == b.data;
}

bool same_device(const bifold::DeviceInfo& a, const bifold::DeviceInfo& b) {
  return a.selector == b.selector && a.name == b.name && a.platform == b.platform &&
         a.driver == b.driver;
}

/// Why nothing of `earlier` is taken; or nothing.
std::string obstacle(const RunFile& earlier, const Report& report) {
  const RunOptions& options = report.options;
  if (earlier.library_version != report.library_version) return "it is of another library version";
  if (earlier.suite != options.suite->name || earlier.seconds != options.budget.seconds ||
      earlier.samples != options.budget.samples || earlier.first_element != options.first_element) {
    return "it is of other settings";
  }
  std::error_code error;
  const auto built = fs::last_write_time("/proc/self/exe", error);
  if (!error && fs::last_write_time(earlier.path, error) < built && !error) {
    return "this program is newer";
  }
  return {};
}

}  // namespace

PartialRun::PartialRun(fs::path file) : path_(std::move(file)) { path_ += ".partial"; }

void PartialRun::check() const {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path_, ignored))) return;
  try {
    if (Field::document(path_).at("schema").string() == "bifold-bench") return;
  } catch (const UsageError&) {  // NOLINT(bugprone-empty-catch): it is somebody else's.
  }
  throw UsageError(
      formatted("--json: results are kept in '{}' meanwhile, and what lies there is "
                "none of ours",
                path_.string()));
}

Restored PartialRun::restore(Report& report, std::vector<Session>& sessions) const {
  std::error_code ignored;
  Restored restored;
  restored.found = fs::exists(path_, ignored);
  if (!restored.found) return restored;
  RunFile earlier;
  try {
    earlier = read_run_file(path_);
    restored.obstacle = obstacle(earlier, report);
  } catch (const UsageError& error) {
    restored.obstacle = error.what();
  }
  if (!restored.obstacle.empty()) return restored;
  for (std::size_t i = 0; i < earlier.devices.size(); ++i) {
    const auto session = std::find_if(sessions.begin(), sessions.end(), [&](const Session& other) {
      return same_device(other.device().info(), earlier.devices[i].info);
    });
    if (session == sessions.end()) continue;
    session->restore(earlier.devices[i].limits);
    const auto device = static_cast<std::size_t>(session - sessions.begin());
    for (Result& known : earlier.results) {
      if (known.what.device != i || known.outcome != Outcome::timed) continue;
      for (Result& result : report.results) {
        if (result.what.device != device || !same_configuration(result.what, known.what)) continue;
        known.what = result.what;
        result = known;
        ++restored.count;
        break;
      }
    }
  }
  return restored;
}

void PartialRun::keep(Report& report) {
  if (!interrupted() && Clock::now() - kept_ < std::chrono::seconds(1)) return;
  const bool complete = std::exchange(report.complete, false);
  write_whole("--json", path_, run_as_json(report));
  report.complete = complete;
  kept_ = Clock::now();
}

void PartialRun::remove() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace bench
