#include "core/keys/keyed_reduction.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/partials.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

class KeyedReduce final : public Plan {
 public:
  KeyedReduce(const Request& request, std::shared_ptr<const Plan> runs,
              std::shared_ptr<const Plan> reduction)
      : Plan(request, reduction->variant()),
        counts_(!reduction->shape().segments),
        bound_bytes_(size_of(runs->shape().accumulator)),
        runs_(std::move(runs)),
        reduction_(std::move(reduction)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, n);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t runs) const noexcept override {
    runs = std::min(n, runs);
    const ScratchSize selection = runs_->scratch_size(n);
    const ScratchSize reduction = reduction_->scratch_size_of_lines(counts_ ? 1 : n, runs);
    return {std::max(selection.tagged_bytes, reduction.tagged_bytes),
            offset_bytes(runs) + std::max(selection.raw_bytes, reduction.raw_bytes)};
  }

  [[nodiscard]] Sizes serves() const noexcept override {
    if (counts_) return runs_->serves();
    return {std::max(runs_->serves().first, reduction_->serves().first),
            std::min(runs_->serves().last, reduction_->serves().last)};
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t n) const noexcept override {
    if (counts_) return runs_->most_elements(n);
    return std::min(runs_->most_elements(n), reduction_->most_elements(n));
  }

  [[nodiscard]] const gallery::Variant& variant_for(std::uint64_t n) const noexcept override {
    return reduction_->variant_for(counts_ ? 1 : n);
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t places = call.lines.count.n;
    const std::uint64_t n = call.count.n;
    const Range offsets{call.scratch.memory, call.scratch.raw_offset / bound_bytes_};
    Scratch scratch = call.scratch;
    scratch.raw_offset += offset_bytes(std::min(n, places));
    select(call, offsets, scratch);
    if (places == 0 || n == 0) return;
    if (counts_) {
      subtract(call, offsets, scratch);
    } else {
      reduce(call, offsets, scratch);
    }
  }

 private:
  // Of the offsets: where each run begins, and where the last one ends.
  [[nodiscard]] std::uint64_t offset_bytes(std::uint64_t runs) const noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 60U;
    return in_granules((std::min(runs, most) + 1) * bound_bytes_);
  }

  void select(const Call& call, const Range& offsets, const Scratch& scratch) const {
    Call selection = call;
    selection.input = {call.keys.keys};
    selection.output = call.keys.unique;
    selection.more_outputs = {{offsets}, 1};
    selection.total = {call.keys.runs};
    // A selection looks at the type of it alone.
    const PlanShape& of = runs_->shape();
    selection.init = {StoredAccumulator(of.op, of.accumulator, std::nullopt)};
    selection.scratch = scratch;
    selection.room = call.lines.count.n;
    runs_->enqueue(selection);
  }

  void reduce(const Call& call, const Range& offsets, const Scratch& scratch) const {
    Call sums = call;
    sums.scratch = scratch;
    sums.lines.count.memory = call.keys.runs;
    sums.segments = {offsets, behind(offsets)};
    reduction_->enqueue(sums);
  }

  // The lengths of runs: each is a line of one pair of neighbouring offsets.
  void subtract(const Call& call, const Range& offsets, const Scratch& scratch) const {
    Call lengths = call;
    const std::uint64_t places = std::min(call.count.n, call.lines.count.n);
    lengths.input = {offsets, behind(offsets)};
    lengths.count = {1};
    lengths.scratch = scratch;
    lengths.lines.input = {1, 1, places, 0, 1, 1};
    lengths.lines.second = lengths.lines.input;
    lengths.lines.output = lengths.lines.input;
    lengths.lines.count = {places, call.keys.runs};
    lengths.init.counted = {};
    reduction_->enqueue(lengths);
  }

  [[nodiscard]] static Range behind(Range offsets) noexcept {
    ++offsets.offset;
    return offsets;
  }

  bool counts_;                // The reduction is that of counts_of_runs().
  std::uint64_t bound_bytes_;  // Of where a run begins.
  std::shared_ptr<const Plan> runs_;
  std::shared_ptr<const Plan> reduction_;
};

}  // namespace

PlanShape reduction_of_runs(PlanShape shape) {
  const Type bounds = shape.keys.value_or(KeyShape{}).runs;
  shape.keys.reset();
  shape.on_device.lines = bounds;
  shape.lines = LineLayout::segments;
  shape.segments = SegmentShape{bounds, false};
  return shape;
}

// Sums of integers wrap around as the difference of two indices does.
std::optional<PlanShape> counts_of_runs(PlanShape shape) {
  static const Map length = "y - x";
  const bool counts = shape.op.kind() == OperatorKind::plus && shape.map.expression() == "1" &&
                      !shape.accumulator.is_struct() && !is_floating(shape.accumulator);
  if (!counts) return {};
  const Type bounds = shape.keys.value_or(KeyShape{}).runs;
  shape.keys.reset();
  shape.on_device.lines = bounds;
  shape.on_device.count.reset();
  shape.lines = LineLayout::across;
  shape.input = bounds;
  shape.second = bounds;
  shape.more_inputs.clear();
  shape.map = length;
  shape.sizes = Sizes::of(1);
  return shape;
}

std::shared_ptr<const Plan> plan_keyed_reduction(const Request& request,
                                                 std::shared_ptr<const Plan> runs,
                                                 std::shared_ptr<const Plan> reduction) {
  return std::make_shared<KeyedReduce>(request, std::move(runs), std::move(reduction));
}

}  // namespace bifold::core
