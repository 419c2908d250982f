#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "data.hpp"
#include "format.hpp"
#include "json_file.hpp"
#include "json_report.hpp"
#include "progress.hpp"
#include "result.hpp"
#include "session.hpp"
#include "table.hpp"
#include "usage_error.hpp"

namespace bench {
namespace {

std::string why_no_device() {
  std::string text = "no device found";
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    if (!backend.available) text += fmt::format("; {}: {}", backend.name, backend.reason);
  }
  return one_line(text);
}

/// Opens what was asked for, each device once.
std::vector<Session> open_sessions(Report& report) {
  const RunOptions& options = report.options;
  std::vector<Session> sessions;
  const auto add = [&](bifold::Device device) {
    const std::string& selector = device.info().selector;
    if (std::any_of(sessions.begin(), sessions.end(), [&](const Session& session) {
          return session.device().info().selector == selector;
        })) {
      return;
    }
    sessions.emplace_back(std::move(device), options.budget, report.host);
  };

  for (const std::string& selector : options.devices) {
    try {
      add(bifold::open_device(selector));
    } catch (const bifold::Error& error) {
      throw UsageError(fmt::format("--device {}: {}", selector, one_line(error.what())));
    }
  }
  if (!options.devices.empty()) return sessions;
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    try {
      add(bifold::open_device(info.selector));
    } catch (const bifold::Error& error) {
      report.unopened.push_back({info, one_line(error.what())});
    }
  }
  return sessions;
}

/// Every line of the table, in its order, not yet measured.
std::vector<Result> all_configurations(const RunOptions& options,
                                       const std::vector<Session>& sessions) {
  std::vector<Result> results;
  for (std::size_t device = 0; device < sessions.size(); ++device) {
    const auto sizes = sizes_for(options, sessions[device].device().info().kind);
    for (const auto algorithm : options.algorithms) {
      const auto variants = variants_of(options, algorithm);
      for (const auto type : options.types) {
        for (const auto& op : options.operators) {
          for (const auto& variant : variants) {
            for (const auto n : sizes) {
              Result result;
              result.what = {device, algorithm, variant, type, op, options.kind, n};
              results.push_back(std::move(result));
            }
          }
        }
      }
    }
  }
  return results;
}

std::string title(const Configuration& what, const Session& session) {
  return fmt::format("{} {} {} {} n = {} on {}", bifold::name_of(what.algorithm), what.variant,
                     bifold::name_of(what.type), what.op.name(), count_text(what.n),
                     session.device().info().selector);
}

class Runner {
 public:
  Runner(Report& report, std::vector<Session>& sessions)
      : report_(report),
        sessions_(sessions),
        progress_(report.options.progress ? ProgressMode::automatic : ProgressMode::off,
                  total_cost()) {}

  /// The data of one type and operator serve every device, so they are the outer loops.
  void run() {
    for (const auto type : report_.options.types) {
      for (const auto& op : report_.options.operators) run_group(type, op);
    }
  }

 private:
  [[nodiscard]] double cost(const Configuration& what) const {
    return report_.options.budget.seconds + static_cast<double>(what.bytes()) / 1e9;
  }

  [[nodiscard]] double total_cost() const {
    double total = 0;
    for (const Result& result : report_.results) total += cost(result.what);
    return total;
  }

  void run_group(bifold::Type type, const bifold::Operator& op) {
    const std::uint64_t available = host_bytes_available();
    std::vector<Result*> possible;
    for (Result& result : report_.results) {
      if (result.what.type != type || result.what.op != op) continue;
      result.reason = obstacle(result.what, available);
      if (result.reason.empty()) {
        possible.push_back(&result);
      } else {
        progress_.advance(cost(result.what));
      }
    }
    if (possible.empty()) return;
    const auto by_size = [](const Result* a, const Result* b) { return a->what.n < b->what.n; };
    std::stable_sort(possible.begin(), possible.end(), by_size);
    progress_.show(fmt::format("preparing {} {}", bifold::name_of(type), op.name()));
    const HostData data(type, op, possible.back()->what.n);
    for (std::size_t device = 0; device < sessions_.size(); ++device) {
      std::vector<Result*> here;
      std::copy_if(possible.begin(), possible.end(), std::back_inserter(here),
                   [device](const Result* result) { return result->what.device == device; });
      if (!here.empty()) run_on(sessions_[device], data, here);
    }
  }

  [[nodiscard]] std::string obstacle(const Configuration& what, std::uint64_t available) const {
    const Session& session = sessions_[what.device];
    std::string reason = session.obstacle(what);
    if (!reason.empty() || available == 0) return reason;
    std::uint64_t needed = HostData::bytes_needed(what.type, what.n) + verifier_bytes;
    if (session.shares_host_memory()) needed += 2 * what.n * bifold::size_of(what.type);
    if (needed <= available / 10 * 9) return {};
    return fmt::format("needs {} of host memory, {} are available", bytes_text(needed),
                       bytes_text(available));
  }

  void run_on(Session& session, const HostData& data, const std::vector<Result*>& results) {
    std::string failure;
    Outcome failure_outcome = Outcome::failed;
    try {
      session.load(data, results.back()->what.n);
    } catch (const bifold::Error& error) {
      failure = one_line(error.what());
      if (error.category() == bifold::ErrorCategory::out_of_memory) {
        failure_outcome = Outcome::skipped;
      }
    }
    for (Result* result : results) {
      const Configuration what = result->what;
      progress_.show(title(what, session));
      if (failure.empty()) {
        *result = session.run(what, verifier_);
      } else {
        result->outcome = failure_outcome;
        result->reason = failure;
      }
      progress_.advance(cost(what));
    }
    session.unload();
  }

  Report& report_;
  std::vector<Session>& sessions_;
  Verifier verifier_;
  Progress progress_;
};

}  // namespace

const Result* quickest_call(const Report& report, std::size_t device) {
  const Result* quickest = nullptr;
  for (const Result& result : report.results) {
    if (result.what.device != device || result.outcome != Outcome::timed) continue;
    if (quickest == nullptr || result.timing.median_s < quickest->timing.median_s) {
      quickest = &result;
    }
  }
  return quickest;
}

int run_benchmark(const RunOptions& options) {
  if (!options.json.empty()) check_writable(options.json);
  Report report;
  report.time = utc_now();
  report.host = host_info();
  report.options = options;
  std::vector<Session> sessions = open_sessions(report);
  if (sessions.empty() && report.unopened.empty()) {
    fmt::print(stderr, "bifold-bench: {}\n", why_no_device());
  }
  report.results = all_configurations(options, sessions);
  Runner(report, sessions).run();
  for (const Session& session : sessions) {
    report.devices.push_back(session.report());
    report.devices.back().sizes = sizes_for(options, session.device().info().kind);
  }

  print_table(report);
  if (!options.json.empty()) write_json(options.json, run_as_json(report));
  const bool all_well =
      !sessions.empty() && report.unopened.empty() &&
      std::none_of(report.results.begin(), report.results.end(), [](const Result& result) {
        return result.outcome == Outcome::wrong || result.outcome == Outcome::failed;
      });
  return all_well ? 0 : 1;
}

}  // namespace bench
