#include "commands/check/device.hpp"

#include <algorithm>
#include <chrono>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "commands/check/segments.hpp"
#include "commands/check/selection.hpp"
#include "commands/check/stress.hpp"
#include "commands/check/struct_cases.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::ErrorCategory;
using bifold::ScanKind;
using bifold::Type;
using bifold::core::Judged;
using bifold::gallery::Order;
using bifold::gallery::Variant;
using Clock = std::chrono::steady_clock;

/// Of a case, in the unit of seconds on a machine of middling speed.
constexpr double case_cost = 0.4;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool contains(const auto& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Whether production may pick the row on such a device.
bool may_be_picked(const bifold::Device& device, const Variant& row) {
  const Variant& production = *bifold::gallery::find(row.algorithm, "production");
  const bifold::core::Recipe& names = bifold::core::recipe_of(production);
  if (device.info().kind == bifold::DeviceKind::cpu) return contains(names.on_cpu, row.name);
  return contains(names.on_gpu, row.name) || contains(names.on_lanes_of_32, row.name);
}

bool selects(const CheckLine& line) { return line.row->algorithm == Algorithm::select; }

/// How many stresses belong to a line: those of one and of several words, and, in order v1, of
/// floating sums.
unsigned stresses_of(const CheckLine& line) {
  // Selections are repeated where they are compared.
  if (!line.row->requirements.published_words || selects(line)) return 0;
  if (line.judged == Judged::integers) return 2;
  return line.judged == Judged::f32 && line.row->order == Order::v1 ? 1 : 0;
}

double seconds_per_stress(const std::vector<CheckLine>& lines, double seconds) {
  unsigned count = 0;
  for (const CheckLine& line : lines) count += stresses_of(line);
  return count == 0 ? 0 : seconds / count;
}

template <class T>
bool concerns(const Variant& row, const Case<T>& what) {
  const bool ordered = row.order == Order::v1;
  if (what.rows == (ordered ? CaseRows::others : CaseRows::order_v1)) return false;
  // Pairs are a reduction's; a scan has the same case without.
  if (!what.map.is_identity() && what.rows == CaseRows::order_v1 &&
      what.pairs != (row.algorithm == Algorithm::reduce)) {
    return false;
  }
  return std::any_of(what.samples.begin(), what.samples.end(),
                     [&](const Sample<T>& sample) { return can_judge(row, sample.exact); });
}

/// Calls `body` with an element of each type that stands for what is judged.
template <class Body>
void for_judged_types(Judged judged, Body body) {
  switch (judged) {
    case Judged::f32: body(float{}); return;
    case Judged::f64: body(double{}); return;
    case Judged::f16: body(bifold::f16{}); return;
    case Judged::bf16: body(bifold::bf16{}); return;
    case Judged::structs:
      body(ThreeBytes{});
      body(AffineMap{});
      body(ThreeWords{});
      body(TwoWide{});
      body(EightWide{});
      return;
    case Judged::integers: break;
  }
  body(std::int32_t{});
  body(std::uint32_t{});
  body(std::uint8_t{});
  body(std::int64_t{});
}

/// Checks one line after another on one device.
class Checker {
 public:
  Checker(const bifold::Device& device, double seconds_per_stress, Progress& progress)
      : device_(device), queue_(device), seconds_(seconds_per_stress), progress_(progress) {}

  void check(CheckLine& line) {
    if (lost_.empty() && interrupted()) lost_ = interrupt_reason;
    if (!lost_.empty()) {
      line.reason = lost_;
      return;
    }
    const auto start = Clock::now();
    line_ = &line;
    refusal_.clear();
    line.outcome = CheckOutcome::passed;
    for_judged_types(line.judged, [&]<class T>(T) { check_type<T>(); });
    if (line.outcome == CheckOutcome::passed && line.cases.empty()) {
      line.outcome = CheckOutcome::unsupported;
      line.reason = refusal_;
    }
    if (line.outcome == CheckOutcome::passed) check_under_stress();
    if (line.outcome == CheckOutcome::passed && interrupted()) {
      // Whether the rest would have passed is not known.
      line.outcome = CheckOutcome::unchecked;
      line.reason = interrupt_reason;
    }
    line.seconds = seconds_since(start);
  }

 private:
  template <class T>
  void check_type() {
    if (selects(*line_)) {
      check_selections<T>();
      return;
    }
    for (const Case<T>& what : check_cases<T>()) {
      if (line_->outcome != CheckOutcome::passed || !concerns(*line_->row, what)) continue;
      const Type type = bifold::type_of<T>();
      const auto support = line_->row->segments
                               ? supports_segments(device_, *line_->row, type, what.op)
                               : bifold::gallery::supports(device_, *line_->row, type, what.op);
      const std::string name = formatted("{} {}", bifold::name_of(type), what.name);
      if (!support) {
        refuse(name, support.reason);
        continue;
      }
      const bool scan = line_->row->algorithm == Algorithm::scan;
      for (const ScanKind kind : scan ? what.kinds : std::vector{ScanKind::inclusive}) {
        run(name + (kind == ScanKind::exclusive ? ", exclusive" : ""),
            [&] { return check_case(queue_, *line_->row, what, kind, line_->calls); });
        progress_.advance(case_cost);
      }
    }
  }

  template <class T>
  void check_selections() {
    const Type type = bifold::type_of<T>();
    const std::string name(bifold::name_of(type));
    if (const auto support = bifold::gallery::supports(device_, *line_->row, type, bifold::plus)) {
      run(name, [&] {
        return check_selection<T>(queue_, *line_->row, check_cases<T>().front().samples.front(),
                                  line_->calls);
      });
      progress_.advance(case_cost);
    } else {
      refuse(name, support.reason);
    }
  }

  void check_under_stress() {
    if (stresses_of(*line_) == 0) return;
    if (line_->judged == Judged::integers) {
      run("repeated i32 sums", [&] { return stressed<std::int32_t>(); });
      run("repeated u64 sums", [&] { return stressed<std::uint64_t>(); });
    } else {
      run("repeated f32 sums", [&] { return stressed<float>(); });
    }
  }

  template <class T>
  std::string stressed() {
    const StressOutcome outcome = stress<T>(device_, *line_->row, seconds_);
    line_->calls += outcome.runs;
    progress_.advance(seconds_);
    return outcome.problem;
  }

  void refuse(const std::string& name, const std::string& reason) {
    refusal_ = reason;
    line_->refused.push_back({name, reason});
  }

  /// Makes what `body` says, or throws, the line's outcome.
  template <class Body>
  void run(std::string name, Body body) {
    if (line_->outcome != CheckOutcome::passed || interrupted()) return;
    progress_.show(formatted("{} {} {} on {}", bifold::name_of(line_->row->algorithm),
                             line_->row->name, name, device_.info().selector));
    try {
      line_->reason = body();
      if (!line_->reason.empty()) line_->outcome = CheckOutcome::failed;
      line_->cases.push_back(std::move(name));
    } catch (const bifold::Error& error) {
      if (error.category() == ErrorCategory::unsupported) {
        refuse(name, one_line(error.what()));
        return;
      }
      line_->reason = name + ": " + one_line(error.what());
      // What could not be tried is no finding: there was no memory, or no compiler.
      const bool tried = error.category() != ErrorCategory::out_of_memory &&
                         error.category() != ErrorCategory::unavailable;
      line_->outcome = tried ? CheckOutcome::failed : CheckOutcome::unchecked;
      line_->cases.push_back(std::move(name));
      if (error.category() == ErrorCategory::timeout ||
          error.category() == ErrorCategory::device_lost) {
        lost_ = formatted("the device was {} by {} {}",
                          error.category() == ErrorCategory::timeout ? "hung" : "lost",
                          bifold::name_of(line_->row->algorithm), line_->row->name);
      }
    }
  }

  const bifold::Device& device_;
  bifold::Queue queue_;
  double seconds_;
  Progress& progress_;
  CheckLine* line_ = nullptr;
  std::string refusal_;  ///< Why the last case that does not run here does not.
  std::string lost_;     ///< Why the device can no longer be used; empty while it can.
};

template <class T>
unsigned case_count_of(const CheckLine& line) {
  if (selects(line)) return 1;
  unsigned count = 0;
  for (const Case<T>& what : check_cases<T>()) {
    if (!concerns(*line.row, what)) continue;
    count += line.row->algorithm == Algorithm::scan ? static_cast<unsigned>(what.kinds.size()) : 1;
  }
  return count;
}

unsigned case_count(const CheckLine& line) {
  unsigned count = 0;
  for_judged_types(line.judged, [&]<class T>(T) { count += case_count_of<T>(line); });
  return count;
}

}  // namespace

std::vector<CheckLine> lines_for(const bifold::Device& device, const CheckOptions& options) {
  std::vector<CheckLine> lines;
  for (const Variant& row : bifold::gallery::variants()) {
    const bool wanted = contains(options.variants, "all") || contains(options.variants, row.name) ||
                        (contains(options.variants, "production") && may_be_picked(device, row));
    // Production is no kernel: it is what the others are checked for.
    if (!wanted || bifold::core::recipe_of(row).planner == nullptr) continue;
    for (const Judged judged : bifold::core::all_judged) {
      CheckLine line;
      line.row = &row;
      line.judged = judged;
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

double cost_of(const std::vector<CheckLine>& lines, const CheckOptions& options) {
  double cost = 0;
  for (const CheckLine& line : lines) cost += case_cost * case_count(line);
  return seconds_per_stress(lines, options.seconds) > 0 ? cost + options.seconds : cost;
}

void check_lines(const bifold::Device& device, std::vector<CheckLine>& lines,
                 const CheckOptions& options, Progress& progress,
                 const std::function<void(const CheckLine&)>& after_each) {
  try {
    Checker checker(device, seconds_per_stress(lines, options.seconds), progress);
    for (CheckLine& line : lines) {
      checker.check(line);
      if (interrupted()) continue;
      progress.hide();
      after_each(line);
    }
  } catch (const bifold::Error& error) {
    // Lines themselves survive failures: the device has no queue.
    for (CheckLine& line : lines) {
      line.reason = one_line(error.what());
      after_each(line);
    }
  }
}

std::vector<ProductionChoice> production_choices(const bifold::Device& device) {
  struct Kind {
    const char* what;
    Type type;
    bifold::Operator op;
  };
  const Kind kinds[] = {
      {"integers", Type::i32, bifold::plus},
      {"integers, in index order", Type::u32, check_cases<std::uint32_t>().front().op},
      {"f32", Type::f32, bifold::plus},
      {"f64", Type::f64, bifold::plus},
      {"f16", Type::f16, bifold::plus},
      {"bf16", Type::bf16, bifold::plus},
      {"structs", bifold::type_of<ThreeWords>(), check_cases<ThreeWords>().front().op}};
  std::vector<ProductionChoice> choices;
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    for (const Kind& kind : kinds) {
      const auto choice = bifold::core::choose_row(
          {device,
           {kind.type, bifold::accumulator_of(kind.type), kind.type, ScanKind::inclusive, kind.op}},
          *bifold::gallery::find(algorithm, "production"));
      choices.push_back({formatted("{} {}", bifold::name_of(algorithm), kind.what),
                         choice.variant != nullptr ? std::string(choice.variant->name) : "",
                         one_line(choice.reasons)});
    }
  }
  return choices;
}

}  // namespace bench
