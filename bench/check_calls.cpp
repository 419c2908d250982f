#include "check_calls.hpp"

#include <algorithm>
#include <bifold/reference_v1.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>

#include "core/gallery_rows.hpp"
#include "core/planning.hpp"
#include "format.hpp"
#include "measure.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::ScanKind;
using bifold::gallery::Variant;

constexpr std::uint64_t last_short = 600;
constexpr std::uint64_t offsets = 5;
constexpr std::uint64_t guard = 5;

bool in_order_v1(const Variant& row) { return row.order == bifold::gallery::Order::v1; }

/// Elements that one group of the row takes at a time, as far as its tuning says so.
std::uint64_t span_of_row(const bifold::Device& device, const Variant& row, bifold::Type type) {
  const bifold::core::PlanShape shape{type, bifold::accumulator_of(type), type, ScanKind::inclusive,
                                      bifold::plus};
  const auto tuning = bifold::core::tuning_for(device, row, shape);
  return tuning.get_or("GROUP_SIZE", 0) == 0 ? 1 : bifold::core::span_of(row, shape, tuning);
}

/// Short lengths in steps, then both sides of where packs, leaves and tiles end, and for a type's
/// main sample a long one.
std::vector<std::uint64_t> lengths(const bifold::Device& device, const Variant& row,
                                   bifold::Type type, bool many) {
  std::set<std::uint64_t> all{0, 1, 2, 3, 5, 31, 33, 127, 257, last_short};
  const bifold::Type accumulator = bifold::accumulator_of(type);
  const std::uint64_t leaf = bifold::order_v1::leaf_elements(accumulator);
  const std::uint64_t tile = bifold::order_v1::scan_tile(bifold::size_of(accumulator));
  const auto around = [&all](std::uint64_t border) {
    for (const std::uint64_t n : {border - 1, border, border + 1}) all.insert(n);
  };
  if (!many) {
    all.insert(tile + 1);
    return {all.begin(), all.end()};
  }
  for (std::uint64_t n = 0; n < 40; ++n) all.insert(n);
  for (std::uint64_t n = 40; n < last_short; n += 7) all.insert(n);
  const std::uint64_t span = span_of_row(device, row, type);
  for (const std::uint64_t border : {std::uint64_t{1024}, leaf, 3 * leaf, tile, 2 * tile, span}) {
    around(std::clamp<std::uint64_t>(border, 1, 1 << 16));
  }
  // Beyond a group of tiles of order v1, and beyond what most rows hand to one group.
  const std::uint64_t groups = tile * bifold::order_v1::scan_group_tiles;
  all.insert(in_order_v1(row) ? groups + leaf + 3 : 70'003);
  return {all.begin(), all.end()};
}

/// Where every association gives the same bits, the simplest one does.
template <class T, class Acc = bifold::accumulator_t<T>>
Acc reduced(const Variant& row, const Case<T>& what, bool exact, std::span<const T> elements,
            Acc init) {
  namespace v1 = bifold::reference::v1;
  if (exact) return bifold::reference::reduce(elements, init, what.lift, what.combine);
  return row.requirements.commutative
             ? v1::reduce(elements, init, what.lift, what.combine)
             : v1::reduce_in_order(elements, init, what.lift, what.combine);
}

/// What surrounds inputs and outputs: it would show in any result that it got into.
template <class T>
T foreign() {
  using Acc = bifold::accumulator_t<T>;
  if constexpr (std::is_floating_point_v<Acc>) {
    return static_cast<T>(std::numeric_limits<Acc>::quiet_NaN());
  } else {
    return static_cast<T>(0xa5b6c7d8a5b6c7d8);
  }
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
  Calls(bifold::Queue& queue, const Variant& row, const Case<T>& what, const Sample<T>& sample,
        ScanKind kind, const std::vector<std::uint64_t>& all)
      : queue_(queue), row_(row), what_(what), sample_(sample), kind_(kind) {
    const bool scan = row.algorithm == Algorithm::scan;
    const bool may_be_in_place = scan && (queue.device().capabilities().acquire_release ||
                                          !row.requirements.published_words);
    std::uint64_t end = guard;
    for (const std::uint64_t n : all) {
      const std::uint64_t i = calls_.size();
      calls_.push_back({n, i % offsets, end, may_be_in_place && i % 3 == 2});
      end += (scan ? n : 1) + 1 + i % guard;
    }
    elements_.resize(all.back());
    for (std::uint64_t i = 0; i < elements_.size(); ++i) elements_[i] = sample.at(i);
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
      if (call.in_place) queue_.copy(input, output);
      plan.run(queue_, call.in_place ? bifold::ErasedView(output) : bifold::ErasedView(input),
               output, bifold::Value(sample_.init));
    }
  }

  /// Blocks.
  [[nodiscard]] std::string problem() {
    queue_.finish(wait_limit);
    const std::vector<T> found = queue_.download(output_);
    const std::vector<Acc> prefixes =
        row_.algorithm == Algorithm::scan
            ? expected_prefixes<T>(row_, what_.combine, what_.lift, elements_, sample_.init)
            : std::vector<Acc>();
    const Acc* const first = prefixes.data() + (kind_ == ScanKind::inclusive ? 1 : 0);
    std::uint64_t at = 0;
    for (const Call& call : calls_) {
      for (; at < call.slot; ++at) {
        if (!same_bytes(found[at], foreign<T>())) return describe(call) + ": wrote elsewhere";
      }
      std::vector<Acc> total;
      if (prefixes.empty()) {
        const auto elements = std::span<const T>(elements_).first(call.n);
        total.push_back(reduced<T>(row_, what_, sample_.exact, elements, sample_.init));
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
    stride_ = (elements_.size() + offsets + line) / line * line;
    std::vector<T> all(offsets * stride_ + offsets, foreign<T>());
    for (std::uint64_t offset = 0; offset < offsets; ++offset) {
      std::copy(elements_.begin(), elements_.end(),
                all.begin() + static_cast<std::ptrdiff_t>(offset * stride_ + offset));
    }
    input_ = queue_.upload(std::span<const T>(all));
  }

  static bool same_bytes(T left, T right) {
    return bifold::Value(left).bits() == bifold::Value(right).bits();
  }

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
  std::uint64_t stride_ = 0;
  bifold::Buffer<T> input_;
  bifold::Buffer<T> output_;
};

}  // namespace

bool can_judge(const Variant& row, bool exact_data) { return exact_data || in_order_v1(row); }

template <class T>
bool same_result(T left, T right) {
  using Acc = bifold::accumulator_t<T>;
  if constexpr (std::is_floating_point_v<Acc>) {
    const Acc a = left;
    const Acc b = right;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return bifold::Value(left).bits() == bifold::Value(right).bits();
}

template <class T>
std::string exact_text(T value) {
  // The shortest digits that are this value and no other.
  return formatted("{}", +value);
}

template <class T>
std::vector<bifold::accumulator_t<T>> expected_prefixes(const Variant& row, Combine<T> combine,
                                                        Lift<T> lift, std::span<const T> elements,
                                                        bifold::accumulator_t<T> init) {
  using Acc = bifold::accumulator_t<T>;
  std::vector<Acc> prefixes;
  prefixes.reserve(elements.size() + 1);
  prefixes.push_back(init);
  // Integers give the same bits in any order.
  if (in_order_v1(row) && std::is_floating_point_v<Acc>) {
    bifold::reference::v1::RunningScan running(init, combine);
    for (const Acc x : elements) {
      running.append(lift(x));
      prefixes.push_back(running.value());
    }
    return prefixes;
  }
  for (const Acc x : elements) prefixes.push_back(combine(prefixes.back(), lift(x)));
  return prefixes;
}

RowPlan::RowPlan(const bifold::Device& device, const Variant& row, bifold::Type type,
                 const bifold::Operator& op, const bifold::Map& map, ScanKind kind)
    : plan_([&]() -> decltype(plan_) {
        if (row.algorithm == Algorithm::scan) {
          bifold::ScanShape shape{type, type, bifold::accumulator_of(type), kind, op, row.name};
          shape.map = map;
          return bifold::ScanPlan(device, shape);
        }
        bifold::ReduceShape shape{type, bifold::accumulator_of(type), op, row.name, map};
        shape.result = type;
        return bifold::ReducePlan(device, shape);
      }()) {}

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
  const bifold::Type type = bifold::type_of<T>();
  const RowPlan plan(queue.device(), row, type, what.op, what.map, kind);
  bool many = true;
  for (const Sample<T>& sample : what.samples) {
    if (!can_judge(row, sample.exact)) continue;
    Calls<T> all(queue, row, what, sample, kind, lengths(queue.device(), row, type, many));
    all.enqueue(plan);
    calls += all.count();
    if (std::string problem = all.problem(); !problem.empty()) return problem;
    many = false;
  }
  return {};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type takes none.
#define BENCH_INSTANTIATE(T)                                                                \
  template bool same_result(T, T);                                                          \
  template std::string exact_text(T);                                                       \
  template std::vector<bifold::accumulator_t<T>> expected_prefixes<T>(                      \
      const Variant&, Combine<T>, Lift<T>, std::span<const T>, bifold::accumulator_t<T>);   \
  template std::string check_case(bifold::Queue&, const Variant&, const Case<T>&, ScanKind, \
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
#undef BENCH_INSTANTIATE

}  // namespace bench
