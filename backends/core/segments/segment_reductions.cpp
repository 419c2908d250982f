#include "core/segments/segment_reductions.hpp"

#include <algorithm>
#include <array>
#include <bifold/order.hpp>
#include <bit>
#include <utility>

#include "core/plan/make_spec.hpp"
#include "core/sequences/line_kernels.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/sequences/order_tiles.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// What a group may have of local memory, on any device.
constexpr std::uint32_t local_bytes = 32768;

// Of a segment that a group folds without lists, at most.
constexpr std::uint32_t tasks_alone = 32;

// Rows that a warp loads at once, at most: of leaves, and of segments of a few rows, whose kernel
// holds more groups.
constexpr std::uint32_t leaf_rows_at_once = 8;
constexpr std::uint32_t few_rows_at_once = 2;

// How segments are folded: by columns of leaves, or in index order by runs of tiles.
struct Folds {
  bool by_columns;
  std::uint32_t columns;    // Of a leaf.
  std::uint32_t share;      // Elements of a work-item,
  std::uint32_t few_shift;  // of `1 << few_shift` that share a short segment,
  std::uint32_t row_shift;  // and of those that share a longer one.
  std::uint64_t task;       // Elements that a warp folds.

  // Elements of segments that are not listed, at most: eight rows.
  [[nodiscard]] std::uint64_t rows() const noexcept {
    return std::uint64_t{share} << (row_shift + 3);
  }
};

Folds folds_of(const PlanShape& shape) {
  const auto shift = [](std::uint32_t items) {
    return static_cast<std::uint32_t>(std::countr_zero(items));
  };
  if (shape.op.commutative()) {
    constexpr std::uint32_t share = 8;
    const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
    return {true,
            columns,
            share,
            shift(4),
            shift(columns / share),
            std::uint64_t{columns} * order_v1::leaf_rows};
  }
  const std::size_t bytes = size_of(shape.accumulator);
  return {false,
          0,
          order_v1::scan_run(bytes),
          shift(8),
          shift(order_v1::scan_row_runs),
          order_v1::scan_tile(bytes)};
}

// Work-items of a group that keeps bounds, totals and what it exchanges of so many segments.
std::uint32_t fitting_group(const PlanShape& shape, const Tuning& tuning) {
  constexpr std::uint32_t bounds_bytes = 16;
  constexpr std::uint32_t kept_each = 4;
  const auto bytes =
      static_cast<std::uint32_t>(AccumulatorLayout(shape.op, shape.accumulator).bytes);
  const std::uint32_t fitting = std::bit_floor(local_bytes / (kept_each * bytes + bounds_bytes));
  const std::uint32_t most = 8 * order_v1::scan_row_runs;
  return std::max(order_v1::scan_row_runs,
                  std::min({std::bit_floor(tuning.group_size.value()), fitting, most}));
}

// Groups that a multiprocessor is to hold at once, by what an accumulator takes.
std::uint32_t groups_held(const PlanShape& shape, std::uint32_t most) {
  const std::size_t bytes = AccumulatorLayout(shape.op, shape.accumulator).bytes;
  return bytes <= 4 ? most : bytes <= 8 ? std::max(most - 1, 1U) : 1;
}

// Rows whose elements a work-item holds in registers.
std::uint32_t fitting_rows(const PlanShape& shape, const Folds& folds) {
  constexpr std::size_t held_bytes = 128;
  const std::size_t bytes = AccumulatorLayout(shape.op, shape.accumulator).bytes;
  const std::size_t row = folds.columns / 32 * std::max(bytes, size_of(shape.input));
  return static_cast<std::uint32_t>(std::max<std::size_t>(held_bytes / row, 1));
}

// What kernels of segments differ by.
struct SegmentKernel {
  std::string_view family;
  std::uint32_t most_held;     // Groups that a multiprocessor is to hold at once, at most.
  std::uint32_t rows_at_once;  // Rows that a warp loads at once, at most.
  std::uint32_t widths = 1;    // Of its group: so many of the row's.
};

PlannedKernel build_segment_kernel(const Request& request, const Tuning& tuning, const Folds& folds,
                                   const SegmentKernel& kernel) {
  Tuning values = tuning;
  values.group_size = kernel.widths * fitting_group(request.shape, tuning);
  KernelSpec spec = make_spec(request,
                              {.algorithm = Algorithm::reduce,
                               .family = kernel.family,
                               .groups_held = groups_held(request.shape, kernel.most_held),
                               .held_by_option = false},
                              values, kernel.family);
  spec.defines.emplace_back("SHARE", folds.share);
  spec.defines.emplace_back("FEW_SHIFT", folds.few_shift);
  spec.defines.emplace_back("ROW_SHIFT", folds.row_shift);
  spec.defines.emplace_back("NODES_PER_ITEM", nodes_per_item);
  spec.defines.emplace_back("MOST_TASKS", tasks_alone);
  if (folds.by_columns) {
    spec.defines.emplace_back("COLUMNS", folds.columns);
    spec.defines.emplace_back("LEAF_ROWS", order_v1::leaf_rows);
    spec.defines.emplace_back("ROWS_AT_ONCE",
                              std::min(kernel.rows_at_once, fitting_rows(request.shape, folds)));
  } else {
    add_tile_constants(spec, folds.share, order_v1::scan_warp_tile_rows);
  }
  return build_kernel(request.device, spec);
}

// Where tasks come from.
struct Tasks {
  std::uint64_t listed_from;  // Elements of segments that have one.
  std::uint64_t task;         // Elements of one, at most.
  std::uint64_t groups;       // That share them.
  std::uint64_t most;         // That are counted.
};

// Counters of 32 bits hold as many as groups ask for at once.
std::uint64_t most_tasks(const Device& device) {
  constexpr std::uint64_t most_of_halves = std::uint64_t{1} << 20;
  return device.capabilities().atomics64 ? no_limit : most_of_halves;
}

class SegmentReduce final : public Plan {
 public:
  struct Kernels {
    PlannedKernel alone;  ///< Of small inputs, if the row has one.
    PlannedKernel segments;
    PlannedKernel tasks;
    PlannedKernel trees;
  };
  SegmentReduce(const Request& request, const gallery::Variant& variant, const Tasks& tasks,
                Kernels kernels, std::uint64_t most_alone, const Sizes& serves)
      : Plan(request, variant),
        tasks_(tasks),
        kernels_(std::move(kernels)),
        most_alone_(most_alone),
        serves_(serves) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, no_limit);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t segments) const noexcept override {
    if (is_alone(n)) return {};
    const std::uint64_t tasks = capacity(n, segments);
    ScratchSize size = accumulators(1 + tasks, accumulator_bytes());
    size.raw_bytes += list_words(tasks) * word_bytes;
    size.tagged_bytes = control_words * word_bytes;
    return size;
  }
  [[nodiscard]] Sizes serves() const noexcept override { return serves_; }

  void enqueue(const Call& call) const override {
    const std::uint64_t n = call.count.n;
    const CallSegments& segments = call.segments;
    const LinePlaces places = places_of(call);
    if (is_alone(n)) {
      const std::uint64_t shift = block_shift(call, kernels_.alone.group_size);
      const std::uint64_t blocks = divide_up(call.lines.count.n, std::uint64_t{1} << shift);
      launch(call.queue, kernels_.alone, groups_of_blocks(blocks), call.input, call.count, segments,
             call.lines.count, call.init, call.output, call.more_outputs, segments.faults, places,
             shift, blocks);
      return;
    }
    const SegmentLists lists = lists_of(call);
    const detail::Memory& work = call.scratch.memory;
    const std::uint64_t behind = call.scratch.raw_offset / word_bytes + list_words(lists.capacity);
    const Range totals{work, divide_up(behind * word_bytes, call.init.value.size())};
    launch(call.queue, kernels_.segments, groups_of_blocks(lists.blocks), call.input, call.count,
           segments, call.lines.count, call.init, call.output, call.more_outputs, segments.faults,
           places, work, lists);
    const std::uint64_t warps = std::max(kernels_.tasks.group_size / 32, 1U);
    launch(call.queue, kernels_.tasks, std::min(divide_up(lists.capacity, warps), tasks_.groups),
           call.input, call.init, call.output, call.more_outputs, places, totals, work, lists);
    launch(call.queue, kernels_.trees,
           std::min({call.lines.count.n, lists.capacity, tasks_.groups}), call.input, call.count,
           segments, call.lines.count, call.init, call.output, call.more_outputs, places, totals,
           work, lists);
  }

 private:
  [[nodiscard]] bool is_alone(std::uint64_t n) const noexcept {
    return n <= most_alone_ && kernels_.alone.kernel != nullptr;
  }

  static constexpr std::uint64_t task_words = 4;
  static constexpr std::uint64_t tree_words = 3;
  static constexpr std::uint64_t counters = 3;

  // Tasks of segments that do not overlap: most if all are as short as those that are listed.
  [[nodiscard]] std::uint64_t capacity(std::uint64_t n, std::uint64_t segments) const noexcept {
    const std::uint64_t tasks =
        std::min(divide_up(n, tasks_.listed_from) * divide_up(tasks_.listed_from, tasks_.task),
                 std::min(segments, n) + divide_up(n, tasks_.task));
    return std::clamp<std::uint64_t>(tasks + tasks % 2, 2, tasks_.most);
  }
  // Of the lists, and of copies of their counters.
  [[nodiscard]] static std::uint64_t list_words(std::uint64_t tasks) noexcept {
    return counters + tasks * task_words + tasks / 2 * tree_words;
  }

  // Few segments are shared out to all groups.
  [[nodiscard]] std::uint64_t block_shift(const Call& call, std::uint32_t group) const noexcept {
    constexpr std::uint64_t least = 1;
    constexpr std::uint32_t most_of_item = 256;  // Where a group is one work-item.
    const std::uint64_t each = divide_up(call.lines.count.n, 4 * tasks_.groups);
    return std::min(shift_of(std::max(each, least)), shift_of(group > 1 ? group : most_of_item));
  }

  [[nodiscard]] SegmentLists lists_of(const Call& call) const noexcept {
    SegmentLists lists{};
    lists.block_shift = block_shift(call, kernels_.segments.group_size);
    lists.blocks = divide_up(call.lines.count.n, std::uint64_t{1} << lists.block_shift);
    lists.control = call.scratch.tagged_offset / word_bytes;
    lists.counted = call.scratch.raw_offset / word_bytes;
    lists.tasks = lists.counted + counters;
    lists.capacity = capacity(call.count.n, call.lines.count.n);
    lists.trees = lists.tasks + lists.capacity * task_words;
    return lists;
  }

  Tasks tasks_;
  Kernels kernels_;
  std::uint64_t most_alone_;
  Sizes serves_;
};

}  // namespace

std::shared_ptr<const Plan> plan_segment_reduce(const Request& request, const Row& row,
                                                const Tuning& tuning) {
  // Work-items with which a compute unit hides its memory's latency.
  constexpr std::uint64_t items_of_unit = 2048;
  const Folds folds = folds_of(request.shape);
  const auto build = [&](const SegmentKernel& kernel) {
    return build_segment_kernel(request, tuning, folds, kernel);
  };
  const Sizes& lengths = request.shape.sizes;
  const std::uint64_t most_alone = tasks_alone * folds.task;
  SegmentReduce::Kernels kernels;
  if (lengths.first <= most_alone)
    kernels.alone = build({"reduce_segments_alone", 4, leaf_rows_at_once});
  if (lengths.last > most_alone) {
    // One group combines all tasks of a segment.
    constexpr std::uint32_t tree_widths = 4;
    kernels.segments = build({"reduce_segments", 7, few_rows_at_once});
    kernels.tasks = build({"reduce_segment_tasks", 4, leaf_rows_at_once});
    kernels.trees = build({"reduce_segment_trees", 1, few_rows_at_once, tree_widths});
  }
  const std::uint64_t units = request.device.capabilities().compute_units;
  const std::uint32_t group = fitting_group(request.shape, tuning);
  return std::make_shared<SegmentReduce>(
      request, row.variant,
      Tasks{folds.rows() + 1, folds.task, units * (items_of_unit / group),
            most_tasks(request.device)},
      std::move(kernels), most_alone, whole_classes(lengths, {most_alone}));
}

std::shared_ptr<const Plan> plan_segment_chunk_reduce(const Request& request, const Row& row,
                                                      const Tuning& tuning) {
  constexpr std::uint64_t leaves_of_task = 16;
  const PlanShape& shape = request.shape;
  const bool by_columns = shape.op.commutative();
  const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
  const std::size_t bytes = size_of(shape.accumulator);
  const std::uint64_t task = by_columns ? leaves_of_task * columns * order_v1::leaf_rows
                                        : std::uint64_t{order_v1::scan_tile(bytes)};
  const auto build = [&](std::string_view family) {
    const std::array forced{ForcedPart{"segment_folds", by_columns ? "segment_folds_columns_chunks"
                                                                   : "segment_folds_rows_chunks"}};
    KernelSpec spec =
        make_spec(request, {.algorithm = Algorithm::reduce, .family = family}, {}, family, forced);
    if (by_columns) {
      add_leaf_constants(request, columns, order_v1::leaf_rows, {}, spec);
    } else {
      add_tile_constants(spec, order_v1::scan_run(bytes), order_v1::scan_warp_tile_rows);
      spec.defines.emplace_back("TILE", order_v1::scan_tile(bytes));
    }
    return build_kernel(request.device, spec);
  };
  const SegmentReduce::Kernels kernels{{},
                                       build("reduce_segment_chunks"),
                                       build("reduce_segment_task_chunks"),
                                       build("reduce_segment_tree_chunks")};
  return std::make_shared<SegmentReduce>(
      request, row.variant,
      Tasks{task + 1, task, max_groups(request.device, tuning), most_tasks(request.device)},
      kernels, 0, Sizes{});
}

}  // namespace bifold::core
