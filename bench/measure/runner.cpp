#include "measure/runner.hpp"

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/usage_error.hpp"
#include "data/host_data.hpp"

namespace bench {
namespace {

std::string why_no_device() {
  std::string text = "no device found";
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    if (!backend.available) text += formatted("; {}: {}", backend.name, backend.reason);
  }
  return one_line(text);
}

std::string title(const Configuration& what, const Session& session) {
  return formatted("{} {} {} {} n = {} on {}", bifold::name_of(what.algorithm), what.variant,
                   bifold::name_of(what.type), what.op.name(), size_text(what),
                   session.device().info().selector);
}

bool same_data(const Configuration& a, const Configuration& b) {
  return a.type == b.type && a.op == b.op && a.data == b.data;
}

class Runner {
 public:
  Runner(Measurements& measurements, std::vector<Session>& sessions, const Budget& budget,
         ProgressMode progress, const std::function<void(const Result&)>& after_each)
      : measurements_(measurements),
        sessions_(sessions),
        budget_(budget),
        after_each_(after_each),
        progress_(progress, total_cost()) {}

  /// The data of one type and operator serve every device, so they are the outer loops.
  void run() {
    std::vector<Configuration> groups;  // The first of each.
    for (const Result& result : measurements_.results) {
      if (result.outcome == Outcome::timed) continue;
      const bool known = std::any_of(groups.begin(), groups.end(), [&](const Configuration& first) {
        return same_data(first, result.what);
      });
      if (!known) groups.push_back(result.what);
    }
    for (const Configuration& first : groups) {
      if (interrupted()) return;
      run_group(first);
    }
  }

 private:
  [[nodiscard]] double cost(const Configuration& what) const {
    return budget_.seconds + static_cast<double>(what.bytes()) / 1e9;
  }

  [[nodiscard]] double total_cost() const {
    double total = 0;
    for (const Result& result : measurements_.results) {
      if (result.outcome != Outcome::timed) total += cost(result.what);
    }
    return total;
  }

  void run_group(const Configuration& first) {
    const bifold::Type type = first.type;
    const bifold::Operator& op = first.op;
    const std::uint64_t available = host_bytes_available();
    std::vector<Result*> possible;
    for (Result& result : measurements_.results) {
      if (!same_data(result.what, first) || result.outcome == Outcome::timed) continue;
      if (result.reason.empty()) result.reason = obstacle(result.what, available);
      if (result.reason.empty()) {
        possible.push_back(&result);
      } else {
        progress_.advance(cost(result.what));
      }
    }
    if (possible.empty()) return;
    const auto by_size = [](const Result* a, const Result* b) {
      return std::pair(a->what.n, a->what.device) < std::pair(b->what.n, b->what.device);
    };
    std::stable_sort(possible.begin(), possible.end(), by_size);
    progress_.show(formatted("preparing {} {}", bifold::name_of(type), op.name()));
    const HostData data(type, element_operator(op), possible.back()->what.n, first.data);
    std::vector<bool> done(sessions_.size(), false);
    for (std::size_t device = 0; device < sessions_.size(); ++device) {
      std::vector<Result*> here;
      std::copy_if(
          possible.begin(), possible.end(), std::back_inserter(here), [&](const Result* result) {
            return !done[result->what.device] && same_processor(result->what.device, device);
          });
      for (const Result* result : here) done[result->what.device] = true;
      run_together(data, here);
    }
  }

  /// Whether two devices are one processor by two backends, as far as their names tell.
  [[nodiscard]] bool same_processor(std::size_t a, std::size_t b) const {
    return sessions_[a].device().info().name == sessions_[b].device().info().name;
  }

  [[nodiscard]] std::string obstacle(const Configuration& what, std::uint64_t available) const {
    const Session& session = sessions_[what.device];
    std::string reason = session.obstacle(what);
    if (!reason.empty() || available == 0) return reason;
    std::uint64_t needed = HostData::bytes_needed(what.type, what.n) + verifier_bytes;
    if (what.matrix) needed += what.outputs() * bifold::size_of(what.type);
    if (session.shares_host_memory()) {
      needed += session.buffers() * what.n * bifold::size_of(what.type);
    }
    if (needed <= available / 10 * 9) return {};
    return formatted("needs {} of host memory, {} are available", bytes_text(needed),
                     bytes_text(available));
  }

  /// Why a call is expected to take too long, from `results` at smaller sizes; or nothing.
  [[nodiscard]] std::string too_slow(const Configuration& what,
                                     const std::vector<Result*>& results) const {
    if (budget_.longest_call_s <= 0 || what.matrix) return {};
    for (const Result* earlier : results | std::views::reverse) {
      const Result& smaller = *earlier;
      if (smaller.outcome != Outcome::timed || smaller.what.n >= what.n ||
          smaller.what.device != what.device || smaller.what.algorithm != what.algorithm ||
          smaller.what.variant != what.variant || smaller.what.order != what.order ||
          smaller.what.together != what.together) {
        continue;
      }
      const double expected = smaller.timing.median_s * static_cast<double>(what.n) /
                              static_cast<double>(smaller.what.n);
      if (expected <= budget_.longest_call_s) return {};
      return formatted("about {} a call expected from {} at n = {}, more than {}",
                       seconds_text(expected), seconds_text(smaller.timing.median_s),
                       count_text(smaller.what.n), seconds_text(budget_.longest_call_s));
    }
    return {};
  }

  /// Backends of a processor are compared with each other, so that each size is measured on all of
  /// them before the next one: what a memory and a clock do meanwhile is alike for them. Another
  /// processor's turn comes behind, as a device that idles is slower after it.
  void run_together(const HostData& data, const std::vector<Result*>& results) {
    for (auto begin = results.begin(); begin != results.end();) {
      const Configuration& first = (*begin)->what;
      const auto end = std::find_if(begin, results.end(), [&first](const Result* result) {
        return result->what.n != first.n || result->what.device != first.device;
      });
      if (interrupted()) return;
      run_loaded(sessions_[first.device], data, first.n, {begin, end}, results);
      begin = end;
    }
  }

  /// Measures `results`, which are of one size and device; `all` are those of other sizes, too.
  void run_loaded(Session& session, const HostData& data, std::uint64_t n,
                  const std::vector<Result*>& results, const std::vector<Result*>& all) {
    std::string failure;
    Outcome failure_outcome = Outcome::failed;
    try {
      session.load(data, n);
    } catch (const bifold::Error& error) {
      failure = one_line(error.what());
      if (error.category() == bifold::ErrorCategory::out_of_memory) {
        failure_outcome = Outcome::skipped;
      }
    }
    for (Result* result : results) {
      if (interrupted()) break;
      const Configuration what = result->what;
      progress_.show(title(what, session));
      if (failure.empty()) {
        result->reason = too_slow(what, all);
        if (result->reason.empty()) *result = session.run(what, verifier_);
      } else {
        result->outcome = failure_outcome;
        result->reason = failure;
      }
      progress_.advance(cost(what));
      if (!after_each_) continue;
      measurements_.devices[what.device] = session.report();
      progress_.hide();
      after_each_(*result);
    }
    session.unload();
  }

  Measurements& measurements_;
  std::vector<Session>& sessions_;
  Budget budget_;
  const std::function<void(const Result&)>& after_each_;
  Verifier verifier_;
  Progress progress_;
};

}  // namespace

Measurements begin_measurements() {
  Measurements measurements;
  measurements.library_version = bifold::version();
  measurements.time = utc_now();
  measurements.host = host_info();
  return measurements;
}

std::vector<bifold::Device> open_devices(const std::vector<std::string>& selectors,
                                         std::vector<UnopenedDevice>& unopened,
                                         const bifold::DeviceOptions& options) {
  std::vector<bifold::Device> devices;
  const auto add = [&](bifold::Device device) {
    const std::string& selector = device.info().selector;
    if (std::none_of(devices.begin(), devices.end(), [&](const bifold::Device& known) {
          return known.info().selector == selector;
        })) {
      devices.push_back(std::move(device));
    }
  };

  for (const std::string& selector : selectors) {
    try {
      add(bifold::open_device(selector, options));
    } catch (const bifold::Error& error) {
      throw UsageError(formatted("--device {}: {}", selector, one_line(error.what())));
    }
  }
  if (!selectors.empty()) return devices;
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    try {
      add(bifold::open_device(info.selector, options));
    } catch (const bifold::Error& error) {
      unopened.push_back({info, one_line(error.what())});
    }
  }
  if (devices.empty() && unopened.empty()) {
    print_error("bifold-bench: {}\n", why_no_device());
  }
  return devices;
}

std::vector<Session> open_sessions(const std::vector<std::string>& selectors, const Budget& budget,
                                   Measurements& measurements) {
  std::vector<Session> sessions;
  for (bifold::Device& device : open_devices(selectors, measurements.unopened)) {
    sessions.emplace_back(std::move(device), budget, measurements.host);
  }
  return sessions;
}

void measure_all(Measurements& measurements, std::vector<Session>& sessions, const Budget& budget,
                 ProgressMode progress, const std::function<void(const Result&)>& after_each) {
  measurements.devices.clear();
  for (const Session& session : sessions) measurements.devices.push_back(session.report());
  Runner(measurements, sessions, budget, progress, after_each).run();
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    measurements.devices[i] = sessions[i].report();
  }
  if (!interrupted()) return;
  std::erase_if(measurements.results, [](const Result& result) {
    return result.outcome == Outcome::skipped && result.reason.empty();
  });
}

}  // namespace bench
