#include "core/keys/keyed_reduction.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/partials.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// Whether all that a run is reduced to is how many elements it has. Sums of integers wrap around as
// the difference of two indices does.
bool counts(const PlanShape& shape) {
  return shape.op.kind() == OperatorKind::plus && shape.map.expression() == "1" &&
         !shape.accumulator.is_struct() && !is_floating(shape.accumulator);
}

class KeyedReduce final : public Plan {
 public:
  KeyedReduce(const Request& request, std::shared_ptr<const Plan> runs,
              std::shared_ptr<const Plan> reduction)
      : Plan(request, reduction->variant()),
        runs_(std::move(runs)),
        reduction_(std::move(reduction)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, n);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t runs) const noexcept override {
    const ScratchSize selection = runs_->scratch_size(n);
    const ScratchSize reduction = counts(shape()) ? reduction_->scratch_size_of_lines(1, runs)
                                                  : reduction_->scratch_size_of_lines(n, runs);
    return {std::max(selection.tagged_bytes, reduction.tagged_bytes),
            offset_bytes(std::min(n, runs)) + std::max(selection.raw_bytes, reduction.raw_bytes)};
  }

  [[nodiscard]] Sizes serves() const noexcept override {
    if (counts(shape())) return runs_->serves();
    return {std::max(runs_->serves().first, reduction_->serves().first),
            std::min(runs_->serves().last, reduction_->serves().last)};
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t n) const noexcept override {
    if (counts(shape())) return runs_->most_elements(n);
    return std::min(runs_->most_elements(n), reduction_->most_elements(n));
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t places = call.lines.count.n;
    const std::uint64_t n = call.count.n;
    const Range offsets{call.scratch.memory, call.scratch.raw_offset / bound_bytes()};
    Scratch scratch = call.scratch;
    scratch.raw_offset += offset_bytes(std::min(n, places));
    select(call, offsets, scratch);
    if (places == 0 || n == 0) return;
    if (counts(shape())) {
      subtract(call, offsets, scratch);
    } else {
      reduce(call, offsets, scratch);
    }
  }

 private:
  [[nodiscard]] std::uint64_t bound_bytes() const noexcept { return size_of(shape().keys->runs); }
  // Of where runs begin, and of where the last one ends.
  [[nodiscard]] std::uint64_t offset_bytes(std::uint64_t runs) const noexcept {
    return in_granules((runs + 1) * bound_bytes());
  }

  void select(const Call& call, const Range& offsets, const Scratch& scratch) const {
    Call selection = call;
    selection.input = {call.keys.keys};
    selection.output = call.keys.unique;
    selection.more_outputs = {{offsets}, 1};
    selection.total = {call.keys.runs};
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
    const std::uint64_t places = call.lines.count.n;
    lengths.input = {offsets, behind(offsets)};
    lengths.count = {1};
    lengths.scratch = scratch;
    lengths.lines.input = {1, 1, places, 0, 1, 1};
    lengths.lines.second = lengths.lines.input;
    lengths.lines.output = lengths.lines.input;
    lengths.lines.count.memory = call.keys.runs;
    lengths.init.counted = {};
    reduction_->enqueue(lengths);
  }

  [[nodiscard]] static Range behind(Range offsets) noexcept {
    ++offsets.offset;
    return offsets;
  }

  std::shared_ptr<const Plan> runs_;
  std::shared_ptr<const Plan> reduction_;
};

}  // namespace

PlanShape reduction_of_runs(const PlanShape& shape) {
  const KeyShape keys = shape.keys.value();
  PlanShape made = shape;
  made.keys.reset();
  made.on_device.lines = keys.runs;
  if (!counts(shape)) {
    made.lines = LineLayout::segments;
    made.segments = SegmentShape{keys.runs, false};
    return made;
  }
  static const Map length = "y - x";
  made.lines = LineLayout::across;
  made.input = keys.runs;
  made.second = keys.runs;
  made.more_inputs.clear();
  made.map = length;
  made.on_device.count.reset();
  made.sizes = Sizes::of(1);
  return made;
}

std::shared_ptr<const Plan> plan_keyed_reduction(const Request& request,
                                                 std::shared_ptr<const Plan> runs,
                                                 std::shared_ptr<const Plan> reduction) {
  return std::make_shared<KeyedReduce>(request, std::move(runs), std::move(reduction));
}

}  // namespace bifold::core
