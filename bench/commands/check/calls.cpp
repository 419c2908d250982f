#include "commands/check/calls.hpp"

#include <algorithm>
#include <array>
#include <bifold/reference/v1.hpp>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/format.hpp"
#include "commands/check/lengths.hpp"
#include "commands/check/lines.hpp"
#include "commands/check/segments.hpp"
#include "commands/check/struct_cases.hpp"
#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/shape/plan_shape.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::ScanKind;
using bifold::gallery::Variant;

constexpr std::uint64_t offsets = 5;
constexpr std::uint64_t guard = 5;

bool in_order_v1(const Variant& row) { return row.order == bifold::gallery::Order::v1; }

template <class T>
bool same_bytes(const T& left, const T& right) {
  using Bytes = std::array<std::byte, sizeof(T)>;
  return std::bit_cast<Bytes>(left) == std::bit_cast<Bytes>(right);
}

struct Call {
  std::uint64_t n;
  std::uint64_t offset;  ///< Of the input; it decides how the first pack lies.
  std::uint64_t slot;    ///< Of the output, in one buffer that all calls share.
  bool in_place;
};

/// The calls on one sample, enqueued at once, then compared at once.
template <class T>
class Calls {
  using Acc = bifold::accumulator_t<T>;

 public:
  /// A call of each length, or of one that is long.
  Calls(bifold::Queue& queue, const Variant& row, const Case<T>& what, const Sample<T>& sample,
        ScanKind kind, const std::vector<std::uint64_t>& all)
      : queue_(queue), row_(row), what_(what), sample_(sample), kind_(kind) {
    if (all.size() == 1) offsets_ = 1;
    const bool scan = row.algorithm == Algorithm::scan;
    const bool may_be_in_place = scan && (queue.device().capabilities().acquire_release ||
                                          !row.requirements.published_words);
    std::uint64_t end = guard;
    for (const std::uint64_t n : all) {
      const std::uint64_t i = calls_.size();
      calls_.push_back({n, i % offsets_, end, may_be_in_place && i % 3 == 2});
      end += (scan ? n : 1) + 1 + i % guard;
    }
    // Of pairs, the second array begins one further on.
    const std::uint64_t longest = all.back();
    elements_.resize(longest + (pairs() ? 1 : 0));
    for (std::uint64_t i = 0; i < elements_.size(); ++i) elements_[i] = sample.at(i);
    lifted_.resize(longest);
    for (std::uint64_t i = 0; i < longest; ++i) {
      lifted_[i] = what.lift(elements_[i], elements_[pairs() ? i + 1 : i], i);
    }
    output_ = queue.allocate<T>(end + guard);
    queue.fill(output_, foreign<T>());
    upload();
  }

  [[nodiscard]] std::uint64_t count() const { return calls_.size(); }

  void enqueue(const RowPlan& plan) {
    for (const Call& call : calls_) {
      const bool scan = row_.algorithm == Algorithm::scan;
      const auto input = input_.view(call.offset * stride_ + call.offset, call.n);
      const auto output = output_.view(call.slot, scan ? call.n : 1);
      if (pairs()) {
        const auto second = input_.view(call.offset * stride_ + call.offset + 1, call.n);
        plan.run_pairs(queue_, input, second, output, bifold::Value(sample_.init));
        continue;
      }
      if (call.in_place) queue_.copy(input, output);
      plan.run(queue_, call.in_place ? bifold::ErasedView(output) : bifold::ErasedView(input),
               output, bifold::Value(sample_.init));
    }
  }

  /// Blocks.
  [[nodiscard]] std::string problem() {
    // Some drivers compile at the first launch, and a machine may be busy with other work.
    queue_.finish(10 * wait_limit);
    const std::vector<T> found = queue_.download(output_);
    const std::vector<Acc> prefixes =
        row_.algorithm == Algorithm::scan
            ? expected_prefixes<T>(row_, what_.combine, lifted_, sample_.init)
            : std::vector<Acc>();
    const Acc* const first = prefixes.data() + (kind_ == ScanKind::inclusive ? 1 : 0);
    std::uint64_t at = 0;
    for (const Call& call : calls_) {
      for (; at < call.slot; ++at) {
        if (!same_bytes(found[at], foreign<T>())) return describe(call) + ": wrote elsewhere";
      }
      std::vector<Acc> total;
      if (prefixes.empty()) {
        const auto lifted = std::span<const Acc>(lifted_).first(call.n);
        total.push_back(expected_reduction<T>(row_, what_, sample_.exact, lifted, sample_.init));
      }
      const std::span<const Acc> exact =
          prefixes.empty() ? std::span<const Acc>(total) : std::span<const Acc>(first, call.n);
      for (std::uint64_t i = 0; i < exact.size(); ++i, ++at) {
        const T wanted = static_cast<T>(exact[i]);
        if (same_result(found[at], wanted)) continue;
        return formatted("{}: element {} is {} instead of {}", describe(call), i,
                         exact_text(found[at]), exact_text(wanted));
      }
    }
    return {};
  }

 private:
  // One copy of the elements for each offset, in surroundings that must not count.
  void upload() {
    constexpr std::uint64_t line = 64;  // Elements: a whole number of packs of any type.
    stride_ = (elements_.size() + offsets_ + line) / line * line;
    std::vector<T> all(offsets_ * stride_ + offsets_, foreign<T>());
    for (std::uint64_t offset = 0; offset < offsets_; ++offset) {
      std::copy(elements_.begin(), elements_.end(),
                all.begin() + static_cast<std::ptrdiff_t>(offset * stride_ + offset));
    }
    input_ = queue_.upload(std::span<const T>(all));
  }

  [[nodiscard]] bool pairs() const { return what_.pairs && row_.algorithm == Algorithm::reduce; }

  [[nodiscard]] std::string describe(const Call& call) const {
    std::string text(bifold::name_of(bifold::type_of<T>()));
    text += formatted(" {}", what_.name);
    if (row_.algorithm == Algorithm::scan) text += formatted(", {}", bifold::name_of(kind_));
    return text + formatted(", {}, n = {}, input offset {}{}", sample_.name, call.n, call.offset,
                            call.in_place ? ", in place" : "");
  }

  bifold::Queue& queue_;
  const Variant& row_;
  const Case<T>& what_;
  const Sample<T>& sample_;
  ScanKind kind_;
  std::vector<Call> calls_;
  std::vector<T> elements_;
  std::vector<Acc> lifted_;  // What a map makes of them.
  std::uint64_t offsets_ = offsets;
  std::uint64_t stride_ = 0;
  bifold::Buffer<T> input_;
  bifold::Buffer<T> output_;
};

}  // namespace

/// Where every association gives the same bits, the simplest one does.
template <class T>
bifold::accumulator_t<T> expected_reduction(const Variant& row, const Case<T>& what, bool exact,
                                            std::span<const bifold::accumulator_t<T>> lifted,
                                            bifold::accumulator_t<T> init) {
  namespace v1 = bifold::reference::v1;
  const auto as_it_is = [](bifold::accumulator_t<T> x) { return x; };
  if (exact) return bifold::reference::reduce(lifted, init, as_it_is, what.combine);
  const bool by_columns = row.segments ? what.op.commutative() : row.requirements.commutative;
  return by_columns ? v1::reduce(lifted, init, as_it_is, what.combine)
                    : v1::reduce_in_order(lifted, init, as_it_is, what.combine);
}

template <class T>
T foreign() {
  using Acc = bifold::accumulator_t<T>;
  if constexpr (std::is_floating_point_v<Acc>) {
    return static_cast<T>(std::numeric_limits<Acc>::quiet_NaN());
  } else if constexpr (std::is_class_v<T>) {
    T value;
    std::memset(&value, 0xa5, sizeof value);
    return value;
  } else {
    return static_cast<T>(0xa5b6c7d8a5b6c7d8);
  }
}

bool can_judge(const Variant& row, bool exact_data) { return exact_data || in_order_v1(row); }

template <class T>
bool same_result(T left, T right) {
  using Acc = bifold::accumulator_t<T>;
  if constexpr (std::is_floating_point_v<Acc>) {
    const Acc a = left;
    const Acc b = right;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return same_bytes(left, right);
}

template <class T>
std::string exact_text(T value) {
  if constexpr (std::is_class_v<T> && !bifold::storage_element<T>) {
    // No struct here has padding.
    std::string text = "0x";
    for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value)) {
      text += formatted("{:02x}", byte);
    }
    return text;
  } else {
    // The shortest digits that are this value and no other.
    return formatted("{}", +value);
  }
}

template <class T>
std::vector<bifold::accumulator_t<T>> expected_prefixes(
    const Variant& row, Combine<T> combine, std::span<const bifold::accumulator_t<T>> lifted,
    bifold::accumulator_t<T> init) {
  using Acc = bifold::accumulator_t<T>;
  std::vector<Acc> prefixes;
  prefixes.reserve(lifted.size() + 1);
  prefixes.push_back(init);
  // Integers give the same bits in any order.
  if constexpr (std::is_floating_point_v<Acc>) {
    if (in_order_v1(row)) {
      bifold::reference::v1::RunningScan running(init, combine);
      for (const Acc x : lifted) {
        running.append(x);
        prefixes.push_back(running.value());
      }
      return prefixes;
    }
  }
  for (const Acc x : lifted) prefixes.push_back(combine(prefixes.back(), x));
  return prefixes;
}

RowPlan::RowPlan(const bifold::Device& device, const Variant& row, bifold::Type type,
                 const bifold::Operator& op, const bifold::Map& map, ScanKind kind, bool pairs,
                 std::uint32_t groups)
    : plan_([&]() -> decltype(plan_) {
        const bifold::Type accumulator = bifold::accumulator_of(type);
        const bifold::core::PlanShape of{type, accumulator, type, kind, op};
        bifold::core::Tuning tuning = bifold::core::tuning_for({device, of}, row);
        if (groups > 0) tuning.groups = groups;
        if (row.algorithm == Algorithm::scan) {
          bifold::ScanShape shape{type, type, accumulator, kind, op, row.name};
          shape.map = map;
          if (groups > 0) return bifold::core::make_plan(device, shape, tuning);
          return bifold::ScanPlan(device, shape);
        }
        bifold::ReduceShape shape{type, accumulator, op, row.name, map};
        shape.result = type;
        if (pairs) shape.second = type;
        if (groups > 0) return bifold::core::make_plan(device, shape, tuning);
        return bifold::ReducePlan(device, shape);
      }()) {}

void RowPlan::run_pairs(bifold::Queue& queue, const bifold::ErasedView& input,
                        const bifold::ErasedView& second, const bifold::ErasedView& output,
                        const bifold::Value& init) const {
  std::get<bifold::ReducePlan>(plan_).run(queue, input, second, output, init);
}

void RowPlan::run(bifold::Queue& queue, const bifold::ErasedView& input,
                  const bifold::ErasedView& output, const bifold::Value& init,
                  const bifold::Workspace* workspace) const {
  if (const auto* scan = std::get_if<bifold::ScanPlan>(&plan_)) {
    bifold::ScanOptions options;
    options.workspace = workspace;
    scan->run(queue, input, output, init, options);
  } else if (const auto* reduce = std::get_if<bifold::ReducePlan>(&plan_)) {
    bifold::ReduceOptions options;
    options.workspace = workspace;
    reduce->run(queue, input, output, init, options);
  }
}

std::uint64_t RowPlan::workspace_bytes(std::uint64_t n) const {
  return std::visit([n](const auto& plan) { return plan.workspace_bytes(n); }, plan_);
}

template <class T>
std::string check_case(bifold::Queue& queue, const Variant& row, const Case<T>& what, ScanKind kind,
                       std::uint64_t& calls) {
  if (row.segments) return check_segments(queue, row, what, calls);
  const bifold::Device& device = queue.device();
  const bifold::Type type = bifold::type_of<T>();
  const bool pairs = what.pairs && row.algorithm == Algorithm::reduce;
  const RowPlan plan(device, row, type, what.op, what.map, kind, pairs);
  std::string problem;
  const auto runs = [&](const Sample<T>& sample, const RowPlan& by,
                        const std::vector<std::uint64_t>& lengths) {
    Calls<T> all(queue, row, what, sample, kind, lengths);
    all.enqueue(by);
    calls += all.count();
    problem = all.problem();
    return problem.empty();
  };
  bool first = true;
  for (const Sample<T>& sample : what.samples) {
    if (!can_judge(row, sample.exact)) continue;
    if (!runs(sample, plan, near_lengths(device, row, type, first))) return problem;
    // Sums of small integers are exact as long as there are few.
    if (first && &sample == &what.samples.front()) {
      for (const FarBorder& border : far_borders(device, row, type, what.far_bytes)) {
        if (!border.few_groups) {
          if (!runs(sample, plan, {border.n})) return problem;
          continue;
        }
        const RowPlan by_few(device, row, type, what.op, what.map, kind, pairs, few_groups);
        if (!runs(sample, by_few, {border.n})) return problem + ", " + border.what;
      }
    }
    first = false;
  }
  if (!row.lines || !what.map.is_identity() || kind != what.kinds.front()) return {};
  return check_lines(queue, row, what, kind, calls);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type takes none.
#define BENCH_INSTANTIATE(T)                                                                      \
  template T foreign();                                                                           \
  template bifold::accumulator_t<T> expected_reduction(const Variant&, const Case<T>&, bool,      \
                                                       std::span<const bifold::accumulator_t<T>>, \
                                                       bifold::accumulator_t<T>);                 \
  template bool same_result(T, T);                                                                \
  template std::string exact_text(T);                                                             \
  template std::vector<bifold::accumulator_t<T>> expected_prefixes<T>(                            \
      const Variant&, Combine<T>, std::span<const bifold::accumulator_t<T>>,                      \
      bifold::accumulator_t<T>);                                                                  \
  template std::string check_case(bifold::Queue&, const Variant&, const Case<T>&, ScanKind,       \
                                  std::uint64_t&);
// NOLINTEND(bugprone-macro-parentheses)
BENCH_INSTANTIATE(std::int32_t)
BENCH_INSTANTIATE(std::uint32_t)
BENCH_INSTANTIATE(std::uint8_t)
BENCH_INSTANTIATE(std::int64_t)
BENCH_INSTANTIATE(std::uint64_t)
BENCH_INSTANTIATE(float)
BENCH_INSTANTIATE(double)
BENCH_INSTANTIATE(bifold::f16)
BENCH_INSTANTIATE(bifold::bf16)
BENCH_INSTANTIATE(ThreeBytes)
BENCH_INSTANTIATE(AffineMap)
BENCH_INSTANTIATE(ThreeWords)
BENCH_INSTANTIATE(TwoWide)
BENCH_INSTANTIATE(EightWide)
#undef BENCH_INSTANTIATE

}  // namespace bench
