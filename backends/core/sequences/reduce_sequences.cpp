#include "core/sequences/reduce_sequences.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bit>
#include <limits>
#include <utility>

#include "core/base/format.hpp"
#include "core/plan/make_spec.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/chunk_reduction.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// The kernel that combines the partial results in one group.
PlannedKernel build_partials_stage(const Request& request, std::uint32_t group_size) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_partials";
  spec.input = spec.accumulator = request.shape.accumulator;
  spec.output = request.shape.output;
  spec.result_map = request.shape.result_map;
  spec.more_outputs = request.shape.more_outputs;
  spec.op = request.shape.op;
  spec.group_size = group_size;
  spec.may_go = request.may_go;
  add_scalars(request, spec);
  add_parts({.request = request}, spec);
  return build_kernel(request.device, spec);
}

// Partial results that such a group of work-items combines at most.
std::uint64_t most_partials(const Device& device, std::uint32_t group_size) {
  return at_most(most_spans(device, turns_of_chunk_results()), group_size);
}

// Accumulate per group, combine the results in one group.
class TwoStageReduce final : public Plan {
 public:
  TwoStageReduce(const Request& request, const gallery::Variant& variant, Partials partials,
                 PlannedKernel first, PlannedKernel second)
      : Plan(request, variant),
        partials_(partials),
        first_(std::move(first)),
        second_(std::move(second)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return partials_.scratch(n);
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return partials_.most_elements();
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t groups = partials_.count(call.count.n);
    const Range partials = partials_of(call);
    launch(call.queue, first_, groups, call.input, call.count, partials);
    launch(call.queue, second_, 1, partials, groups, call.init, call.output);
  }

 private:
  Partials partials_;
  PlannedKernel first_;
  PlannedKernel second_;
};

// How the number of values falls from one launch to the next.
struct Levels {
  std::uint64_t span;       // Elements per result.
  std::uint64_t per_group;  // Results that a group leaves.
  std::uint64_t limit;      // The most results, where groups walk their input; else unlimited.
  std::uint64_t most_spans = no_limit;  // That one of these groups walks.
  std::uint64_t most = no_limit;        // Of their results, which one group walks.

  [[nodiscard]] bool walks() const noexcept {
    return limit != std::numeric_limits<std::uint64_t>::max();
  }
  [[nodiscard]] std::uint64_t first(std::uint64_t n) const noexcept {
    return walks() ? groups_of(divide_up(n, span), limit, most_spans) : divide_up(n, span);
  }
  [[nodiscard]] std::uint64_t most_elements() const noexcept {
    return walks() ? at_most(at_most(most, most_spans), span) : no_limit;
  }
  [[nodiscard]] std::uint64_t next(std::uint64_t n) const noexcept {
    return walks() ? 1 : divide_up(n, span);
  }
};

// One kernel over its own results until one is left.
class LevelReduce final : public Plan {
 public:
  struct Kernels {
    PlannedKernel first;  // From the input's type to accumulators.
    PlannedKernel rest;   // From accumulators.
    PlannedKernel last;   // From the accumulator to a result that is none, else empty.
  };
  LevelReduce(const Request& request, const gallery::Variant& variant, Levels levels, bool on_copy,
              Kernels kernels)
      : Plan(request, variant), levels_(levels), on_copy_(on_copy), kernels_(std::move(kernels)) {}

  // The results of two launches in turn, behind the copy, and what becomes the result.
  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    const std::uint64_t first = levels_.first(n);
    const std::uint64_t second = levels_.next(first);
    const std::uint64_t values = (on_copy_ ? n : 0) + first + second + (converts() ? 1 : 0);
    return accumulators(values, size_of(shape().accumulator));
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return levels_.most_elements();
  }

  void enqueue(const Call& call) const override {
    const Range work = partials_of(call);
    const std::uint64_t first = levels_.first(call.count.n);
    std::array<Range, 2> buffers{work, work};
    buffers[0].offset += on_copy_ ? call.count.n : 0;
    buffers[1].offset = buffers[0].offset + first;
    const Init init = converts()
                          ? Init{StoredAccumulator(shape().op, shape().accumulator, std::nullopt)}
                          : call.init;
    const Range result =
        converts() ? Range{work.memory, buffers[1].offset + levels_.next(first)} : call.output;

    Range from = call.input.first;
    std::uint64_t n = call.count.n;
    std::uint64_t results = first;
    for (std::size_t level = 0; n > 0; ++level) {
      const Range to = results == 1 ? result : buffers[level % 2];
      const PlannedKernel& kernel = level == 0 ? kernels_.first : kernels_.rest;
      const std::uint64_t groups = divide_up(results, levels_.per_group);
      if (on_copy_) {
        launch(call.queue, kernel, groups, from, n, init, to, work);
      } else {
        launch(call.queue, kernel, groups, from, n, init, to);
      }
      if (results == 1) break;
      from = to;
      n = results;
      results = levels_.next(n);
    }
    if (!converts()) return;
    launch(call.queue, kernels_.last, 1, result, std::min<std::uint64_t>(call.count.n, 1),
           call.init, call.output);
  }

 private:
  [[nodiscard]] bool converts() const noexcept { return kernels_.last.kernel != nullptr; }

  Levels levels_;
  bool on_copy_;
  Kernels kernels_;
};

// Atomic updates of one accumulator. Results that are no atomic word of their own come from a word
// of scratch when a last work-item writes them.
class AtomicReduce final : public Plan {
 public:
  AtomicReduce(const Request& request, const gallery::Variant& variant, Partials groups,
               PlannedKernel kernel, PlannedKernel last)
      : Plan(request, variant),
        groups_(groups),
        kernel_(std::move(kernel)),
        last_(std::move(last)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t /*n*/) const noexcept override {
    return accumulators(has_own_word() ? 0 : 1, word_size());
  }

  void enqueue(const Call& call) const override {
    const Range word = has_own_word() ? call.output : partials_of(call);
    const StoredAccumulator start =
        has_own_word() ? call.init.value
                       : StoredAccumulator(shape().op, shape().accumulator, std::nullopt);
    // A value's bytes beyond its size are zero: a narrow one fills its whole word.
    call.queue.backend.fill(word.memory, word.offset * start.size(), word_size(),
                            {start.data(), word_size()});
    launch(call.queue, kernel_, groups_.count(call.count.n), call.input, call.count, word);
    if (has_own_word()) return;
    launch(call.queue, last_, 1, word, std::uint64_t{1}, call.init, call.output);
  }

 private:
  // Whether the result is an atomic word by itself.
  [[nodiscard]] bool has_own_word() const noexcept { return last_.kernel == nullptr; }
  [[nodiscard]] std::size_t word_size() const noexcept {
    return std::max<std::size_t>(size_of(shape().accumulator), 4);
  }

  Partials groups_;
  PlannedKernel kernel_;
  PlannedKernel last_;  // Empty where the result is an atomic word by itself.
};

std::shared_ptr<const Plan> plan_levels(const Request& request, const Row& row,
                                        const Tuning& tuning, Levels levels, bool on_copy) {
  const std::string_view entry = row.entry();
  const auto kernel = [&](const PlanShape& of) {
    return build_kernel(request.device, make_spec(request.with(of), row, tuning, entry));
  };
  return std::make_shared<LevelReduce>(
      request, row.variant, levels, on_copy,
      LevelReduce::Kernels{
          kernel(to_accumulators(request.shape)), kernel(over_accumulators(request.shape)),
          stores_accumulators(request.shape) ? PlannedKernel{} : build_partials_stage(request, 1)});
}

// What all reductions of two stages end in: the kernel over the input, and one group of that size
// over what it leaves.
std::shared_ptr<const Plan> two_stages(const Request& request, const Row& row,
                                       const Partials& partials, PlannedKernel first,
                                       std::uint32_t last_group) {
  return std::make_shared<TwoStageReduce>(request, row.variant, partials, std::move(first),
                                          build_partials_stage(request, last_group));
}

}  // namespace

std::shared_ptr<const Plan> plan_two_stage_reduce(const Request& request, const Row& row,
                                                  const Tuning& tuning) {
  const std::uint32_t group = tuning.group_size.value();
  if (!std::has_single_bit(group)) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("{}: groups of {} work-items; a power of two is needed", row.variant.name,
                          group));
  }
  const std::uint64_t span = span_of(row, request.shape, tuning);
  const Partials partials{max_groups(request.device, tuning), span,
                          size_of(request.shape.accumulator),
                          most_spans(request.device, turns_of_groups(tuning, span)),
                          most_partials(request.device, group)};
  PlannedKernel first = build_kernel(
      request.device,
      make_spec(request.with(to_accumulators(request.shape)), row, tuning, row.entry()));
  return two_stages(request, row, partials, std::move(first), group);
}

std::shared_ptr<const Plan> plan_chunked_reduce(const Request& request, const Row& row,
                                                const Tuning& tuning) {
  const Partials partials{
      max_groups(request.device, tuning), chunk_granule, size_of(request.shape.accumulator),
      most_spans(request.device, turns_of_stripes(stripes_of(request.shape, tuning))),
      most_partials(request.device, 1)};
  return two_stages(request, row, partials, build_chunk_reduction(request, tuning), 1);
}

std::shared_ptr<const Plan> plan_ordered_reduce(const Request& request, const Row& row,
                                                const Tuning& tuning) {
  const PlanShape first = to_accumulators(request.shape);
  const std::uint64_t span = span_of(row, first, tuning);
  const Partials partials{
      max_groups(request.device, tuning), span, size_of(request.shape.accumulator),
      most_spans(request.device, turns_of_groups(tuning, span)), most_partials(request.device, 1)};
  // One work-item combines the results of the blocks, which keeps their order.
  PlannedKernel blocks =
      build_kernel(request.device, make_spec(request.with(first), row, tuning, row.entry()));
  return two_stages(request, row, partials, std::move(blocks), 1);
}

std::shared_ptr<const Plan> plan_level_reduce(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  Tuning values = tuning;
  const std::uint64_t span = span_of(row, request.shape, tuning);
  const std::uint64_t spans = most_spans(request.device, turns_of_groups(tuning, span));
  Levels levels{span, 1, max_groups(request.device, tuning), spans, at_most(spans, span)};
  // A group of one work-item that takes one element would leave as many results as it found.
  if (levels.span == 1 && !levels.walks()) {
    values.per_item = 2;
    levels.span = 2;
  }
  return plan_levels(request, row, values, levels, false);
}

std::shared_ptr<const Plan> plan_item_level_reduce(const Request& request, const Row& row,
                                                   const Tuning& tuning) {
  const std::uint64_t group = tuning.group_size.value();
  const Levels levels{span_of(row, request.shape, tuning) / group, group,
                      max_groups(request.device, tuning)};
  return plan_levels(request, row, tuning, levels, false);
}

std::shared_ptr<const Plan> plan_level_reduce_on_copy(const Request& request, const Row& row,
                                                      const Tuning& tuning) {
  const Levels levels{span_of(row, request.shape, tuning), 1, max_groups(request.device, tuning)};
  return plan_levels(request, row, tuning, levels, true);
}

std::shared_ptr<const Plan> plan_atomic_reduce(const Request& request, const Row& row,
                                               const Tuning& tuning) {
  const std::uint64_t span = span_of(row, request.shape, tuning);
  const Partials groups{max_groups(request.device, tuning), span,
                        size_of(request.shape.accumulator),
                        most_spans(request.device, turns_of_groups(tuning, span))};
  PlannedKernel last;
  // A struct may be aligned to less than its size.
  if (size_of(request.shape.accumulator) < 4 || request.shape.accumulator.is_struct() ||
      !stores_accumulators(request.shape)) {
    last = build_partials_stage(request, 1);
  }
  return std::make_shared<AtomicReduce>(
      request, row.variant, groups,
      build_kernel(request.device, make_spec(request.with(to_accumulators(request.shape)), row,
                                             tuning, row.entry())),
      std::move(last));
}

}  // namespace bifold::core
