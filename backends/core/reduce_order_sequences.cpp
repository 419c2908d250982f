// The reductions in order v1: what they launch may differ, the association may not.
#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/order.hpp>
#include <bit>
#include <utility>

#include "core/architecture.hpp"
#include "core/by_size.hpp"
#include "core/lookback.hpp"
#include "core/order_tiles.hpp"
#include "core/planning.hpp"
#include "core/sequences.hpp"
#include "core/state.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

constexpr std::uint32_t widest_pack = 16;
// Nodes that a work-item of a last group combines in a turn.
constexpr std::uint32_t nodes_per_item = 16;
constexpr std::uint64_t no_limit = std::uint64_t{1} << 63;

/// How the leaves of an input are shared out: a node is a subtree of a power of two of them.
struct Subtrees {
  std::uint64_t leaf;      // Elements of a leaf.
  std::uint64_t at_least;  // Leaves of a node; more where there would be too many nodes.
  std::uint64_t most_nodes;
  std::uint64_t most_groups;  // That share the nodes out.

  [[nodiscard]] std::uint64_t leaves_per_node(std::uint64_t n) const noexcept {
    const std::uint64_t wanted = divide_up(divide_up(n, leaf), most_nodes);
    return std::max(at_least, std::bit_ceil(wanted));
  }
  [[nodiscard]] std::uint64_t elements_per_node(std::uint64_t n) const noexcept {
    return leaves_per_node(n) * leaf;
  }
  [[nodiscard]] std::uint64_t nodes(std::uint64_t n) const noexcept {
    return std::max<std::uint64_t>(divide_up(divide_up(n, leaf), leaves_per_node(n)), 1);
  }
  /// Of every smaller input too: the nodes of one may be fewer than those of a smaller one.
  [[nodiscard]] std::uint64_t nodes_up_to(std::uint64_t n) const noexcept {
    return std::min(most_nodes, divide_up(divide_up(n, leaf), at_least));
  }
};

/// Subtrees of leaves, then the tree over the subtrees.
class OrderReduce : public Plan {
 public:
  OrderReduce(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
              Subtrees subtrees, PlannedKernel first, PlannedKernel last)
      : Plan(device, variant, shape),
        subtrees_(subtrees),
        first_(std::move(first)),
        last_(std::move(last)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return accumulators(subtrees_.nodes_up_to(n), accumulator_bytes());
  }

  void enqueue(const Call& call) const override {
    const Range nodes = partials_of(call);
    const std::uint64_t count = subtrees_.nodes(call.count.n);
    reduce_leaves(call, nodes, count);
    launch(call.queue, last_, 1, nodes, call.count, subtrees_.elements_per_node(call.count.n),
           call.init, call.output);
  }

 protected:
  virtual void reduce_leaves(const Call& call, const Range& nodes, std::uint64_t count) const {
    const std::uint64_t groups = std::min(count, subtrees_.most_groups);
    launch(call.queue, first_, groups, call.input, call.count, nodes);
  }

  [[nodiscard]] const Subtrees& subtrees() const noexcept { return subtrees_; }
  [[nodiscard]] const PlannedKernel& first() const noexcept { return first_; }

 private:
  Subtrees subtrees_;
  PlannedKernel first_;
  PlannedKernel last_;
};

/// The same where a node has as many leaves as the input asks for.
class OrderChunkReduce final : public OrderReduce {
 public:
  using OrderReduce::OrderReduce;

 private:
  void reduce_leaves(const Call& call, const Range& nodes, std::uint64_t count) const override {
    launch(call.queue, first(), count, call.input, call.count,
           subtrees().leaves_per_node(call.count.n), nodes);
  }
};

/// Subtrees of leaves, and the tree over them by the group that finishes last.
class OrderSingleReduce : public Plan {
 public:
  OrderSingleReduce(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                    Subtrees subtrees, PlannedKernel kernel, std::uint64_t most_at_once = no_limit)
      : Plan(device, variant, shape),
        subtrees_(subtrees),
        kernel_(std::move(kernel)),
        most_at_once_(most_at_once) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    // A node for each group, and one for each set of them.
    const std::uint64_t groups = subtrees_.nodes_up_to(n);
    const std::uint64_t sets = groups > most_at_once_ ? set_counters : 0;
    ScratchSize size = accumulators(groups + sets, accumulator_bytes());
    size.tagged_bytes = control_words * word_bytes;
    return size;
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t groups = subtrees_.nodes(call.count.n);
    launch_groups(call, groups,
                  {.nodes = partials_of(call).offset,
                   .control = control_of(call.scratch),
                   .result = call.output.offset,
                   .per_set = groups_per_set(groups)});
  }

 protected:
  virtual void launch_groups(const Call& call, std::uint64_t groups,
                             const ReducePlaces& places) const {
    launch(call.queue, kernel_, groups, call.input, call.count, call.scratch.memory, call.init,
           call.output.memory, places);
  }

  [[nodiscard]] const Subtrees& subtrees() const noexcept { return subtrees_; }
  [[nodiscard]] const PlannedKernel& kernel() const noexcept { return kernel_; }

 private:
  // All of them, or a power of two, so that a set is a subtree: where the last group would combine
  // its nodes in several turns, it is better left a node for each set.
  [[nodiscard]] std::uint64_t groups_per_set(std::uint64_t groups) const noexcept {
    return groups <= most_at_once_ ? groups : std::bit_ceil(divide_up(groups, set_counters));
  }

  Subtrees subtrees_;
  PlannedKernel kernel_;
  std::uint64_t most_at_once_;  // Nodes that a group combines in one turn.
};

/// The same where a node has as many leaves as the input asks for.
class OrderSingleChunkReduce final : public OrderSingleReduce {
 public:
  using OrderSingleReduce::OrderSingleReduce;

 private:
  void launch_groups(const Call& call, std::uint64_t groups,
                     const ReducePlaces& places) const override {
    launch(call.queue, kernel(), groups, call.input, call.count,
           subtrees().leaves_per_node(call.count.n), call.scratch.memory, call.init,
           call.output.memory, places);
  }
};

// Columns of a leaf whose rows are of 32 of the widest loads: where no order shows.
std::uint32_t widest_columns(const PlanShape& shape) {
  return 32 * widest_pack / static_cast<std::uint32_t>(size_of(shape.input));
}

// Bytes of a row of `columns` that a work-item takes.
std::size_t row_bytes(Type type, std::uint32_t columns) { return size_of(type) * (columns / 32); }

// The same of all arrays of the input.
std::size_t loaded_row_bytes(const PlanShape& shape, std::uint32_t columns) {
  return row_bytes(shape.input, columns) + (shape.second ? row_bytes(*shape.second, columns) : 0);
}

// Whether a work-item takes a row by the widest loads.
bool loads_widest(const PlanShape& shape, std::uint32_t columns) {
  const auto widest = [&](Type type) {
    return !type.is_struct() && row_bytes(type, columns) == widest_pack;
  };
  return widest(shape.input) && (!shape.second || widest(*shape.second));
}

// The kernel over leaves; it loads as a pack what columns a work-item adds, where these make one.
PlannedKernel build_leaves(const Device& device, const gallery::Variant& variant,
                           const PlanShape& shape, const Tuning& tuning, std::uint32_t columns) {
  const std::uint32_t per_item = columns / 32;
  const auto packs = [&](Type type) {
    return !type.is_struct() && row_bytes(type, columns) <= widest_pack;
  };
  const Type second = shape.second.value_or(shape.input);
  // What is loaded before it is added takes registers. Of rows of narrower loads than the widest,
  // as many bytes are more rows; but those of words are not looped over, so that compilers load as
  // many as they see fit.
  const std::size_t loaded_each = loaded_row_bytes(shape, columns);
  Tuning values = tuning;
  if (const std::size_t widest = tuning.get_or("UNROLL", 0); widest > 0) {
    const std::size_t loaded_bytes = std::max(std::size_t{256}, widest * widest_pack);
    const bool narrow = loaded_each < widest_pack && !combines_words(device, shape);
    const std::size_t rows = narrow ? widest * widest_pack / loaded_each : widest;
    const std::size_t most = std::min<std::size_t>(rows, order_v1::leaf_rows);
    const std::size_t fitting = std::clamp<std::size_t>(loaded_bytes / loaded_each, 1, most);
    values.set("UNROLL", static_cast<std::uint32_t>(std::bit_floor(fitting)));
  }
  KernelSpec spec = make_spec(device, variant, shape, values, row_of(variant).entry_in(variant));
  spec.defines.emplace_back("LEAF_ROWS", order_v1::leaf_rows);
  spec.defines.emplace_back("COLUMNS", columns);
  spec.defines.emplace_back("VEC", packs(shape.input) && packs(second) ? per_item : 1);
  return build_kernel(device, spec);
}

// What a group of `group` work-items takes, whatever n.
Subtrees subtrees_of(std::uint32_t columns, std::uint32_t group) {
  return {std::uint64_t{order_v1::leaf_rows} * columns, group / 32, no_limit, no_limit};
}

// Columns of a leaf of one work-item: where no order shows, as many bytes of narrow accumulators as
// of wide ones, which the same vector registers hold.
std::uint32_t chunk_columns(const PlanShape& shape) {
  const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
  if (shape.accumulator.is_struct() || !shape.op.exact(shape.accumulator)) return columns;
  return std::max(columns, 512 / static_cast<std::uint32_t>(size_of(shape.accumulator)));
}

// Such leaves shared out to so many work-items.
Subtrees chunks_of(const Device& device, const PlanShape& shape, const Tuning& tuning) {
  return {std::uint64_t{order_v1::leaf_rows} * chunk_columns(shape), 1, max_groups(device, tuning),
          no_limit};
}

PlannedKernel build_chunk_leaves(const Device& device, const gallery::Variant& variant,
                                 const PlanShape& shape, const Tuning& tuning) {
  // Compilers make vectors of columns in registers, but not where an operator chooses floats.
  const OperatorKind kind = shape.op.kind();
  const bool extreme = kind == OperatorKind::minimum || kind == OperatorKind::maximum;
  Tuning values = tuning;
  if (extreme && is_floating(shape.accumulator)) values.set("KEPT_BYTES", 0);
  return build_leaves(device, variant, shape, values, chunk_columns(shape));
}

// The tuning with whole leaves for a group, each of which takes 32 work-items.
Tuning with_whole_leaves(Tuning tuning) {
  const std::uint32_t group = std::max(tuning.get("GROUP_SIZE") / 32, 1U) * 32;
  return tuning.set("GROUP_SIZE", group);
}

// The work-items of the last group: what they keep in local memory has to fit, however wide an
// accumulator is.
std::uint32_t last_group(const Device& device, const PlanShape& shape, std::uint32_t group) {
  constexpr std::size_t local_bytes = 16384;
  const auto fitting = static_cast<std::uint32_t>(
      local_bytes / AccumulatorLayout(shape.op, shape.accumulator).bytes);
  return std::bit_floor(std::min({4 * group, device.capabilities().max_group_size, fitting}));
}

// The tiles of a scan as leaves, shared out to at most `groups` groups.
Subtrees tiles_of(const PlanShape& shape, std::uint64_t groups) {
  return {order_v1::scan_tile(size_of(shape.accumulator)), 1, no_limit, groups};
}

// The kernel of the last group, of that size or what the device can have of it.
PlannedKernel build_nodes(const Device& device, const PlanShape& shape, std::uint32_t group_size) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_order_nodes";
  std::vector<std::string_view> files{"count", "init", "lanes_of_32", "neighbours", "order_nodes"};
  // One work-item has nobody to exchange registers with.
  if (group_size == 1) files = {"count", "init", "neighbours_local", "order_nodes"};
  for (const std::string_view file : files) add_prelude(device, shape, spec, file);
  spec.input = spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  // What the files ask for, as the width of lanes, is the same for every group size.
  const auto defines = spec.defines;
  for (;;) {
    spec.defines = defines;
    spec.defines.emplace_back("GROUP_SIZE", group_size);
    spec.defines.emplace_back("NODES_PER_ITEM", nodes_per_item);
    try {
      return build_kernel(device, spec);
    } catch (const GroupTooLarge& too_large) {
      group_size = too_large.next(group_size);
      if (group_size == 0) throw;
    }
  }
}

}  // namespace

std::shared_ptr<const Plan> plan_order_reduce(const Device& device, const gallery::Variant& variant,
                                              const PlanShape& shape, const Tuning& tuning) {
  const Tuning values = with_whole_leaves(tuning);
  const std::uint32_t group = values.get("GROUP_SIZE");
  const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
  return std::make_shared<OrderReduce>(
      device, variant, shape, subtrees_of(columns, group),
      build_leaves(device, variant, to_accumulators(shape), values, columns),
      build_nodes(device, shape, last_group(device, shape, group)));
}

std::shared_ptr<const Plan> plan_order_single_reduce(const Device& device,
                                                     const gallery::Variant& variant,
                                                     const PlanShape& shape, const Tuning& tuning) {
  const auto kernel_of = [&](std::uint32_t work_items, std::uint32_t columns,
                             std::pair<std::string_view, std::uint32_t> change) {
    return [&, work_items, columns, change] {
      Tuning values = tuning;
      values = with_whole_leaves(values.set("GROUP_SIZE", work_items));
      values.set("NODES_PER_ITEM", nodes_per_item).set(change.first, change.second);
      const std::uint32_t group_size = values.get("GROUP_SIZE");
      return std::make_shared<OrderSingleReduce>(
          device, variant, shape, subtrees_of(columns, group_size),
          build_leaves(device, variant, shape, values, columns), group_size * nodes_per_item);
    };
  };
  // Small groups spread an input over the whole device; of a large one, larger ones leave fewer
  // nodes.
  const std::uint32_t group = tuning.get("GROUP_SIZE");
  const std::uint64_t bytes_each =
      size_of(shape.input) + (shape.second ? size_of(*shape.second) : 0);
  const auto elements_in = [&](std::string_view mib) {
    return (std::uint64_t{tuning.get(mib)} << 20) / bytes_each;
  };
  const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
  // So do longer leaves of narrow integers, which take as many bytes then as those of wide ones.
  const bool words = combines_words(device, shape);
  const std::uint32_t large_columns = words ? widest_columns(shape) : columns;
  // Where a row takes more than one of the widest loads, large groups ask for too many registers.
  // Then all are small: what they leave more of is combined in sets.
  const std::uint32_t small_group = std::min(group, tuning.get("small_group"));
  const std::uint32_t large_group =
      loaded_row_bytes(shape, columns) > widest_pack ? small_group : group;
  const std::pair<std::string_view, std::uint32_t> unchanged{"UNROLL", tuning.get("UNROLL")};
  const MakePlan small = kernel_of(small_group, columns, unchanged);
  const MakePlan large = kernel_of(large_group, large_columns, unchanged);
  // Where groups are few, registers are plenty: then a leaf's rows are all on their way at once, or
  // as many of wide ones as have 512 bytes. NVIDIA's alone are known to gain by that.
  const MakePlan quick = kernel_of(small_group, columns, {"UNROLL", order_v1::leaf_rows});
  const std::uint32_t ptx = ptx_architecture(device.capabilities());
  const std::uint64_t quick_to = words || ptx == 0 ? 0 : elements_in("quick_to_mib");
  const MakePlan plain = [&]() -> std::shared_ptr<const Plan> {
    return by_size(device, variant, shape, quick_to, quick, [&]() -> std::shared_ptr<const Plan> {
      if (large_group == small_group && large_columns == columns) return small();
      return by_size(device, variant, shape, elements_in("large_from_mib"), small, large);
    });
  };

  // Of an input that the cache holds not quite, half stays there. Long leaves of bytes are quicker
  // than short ones before that.
  const bool bytes = words && size_of(shape.input) == 1;
  const std::uint64_t from = elements_in(bytes ? "half_kept_bytes_from_mib" : "half_kept_from_mib");
  const std::uint64_t to = elements_in("half_kept_to_mib");
  if (from >= to || !loads_widest(shape, large_columns) || ptx < 80) {
    return plain();
  }
  const MakePlan half_kept = [&]() -> std::shared_ptr<const Plan> {
    try {
      return kernel_of(large_group, large_columns, {"HALF_KEPT", 1})();
    } catch (const Error& error) {
      // Where nothing compiles and the library has no PTX of it, it has that of the others.
      if (error.category() != ErrorCategory::unavailable) throw;
      return plain();
    }
  };
  return by_size(device, variant, shape, from, plain,
                 [&] { return by_size(device, variant, shape, to, half_kept, plain); });
}

std::shared_ptr<const Plan> plan_order_chunk_reduce(const Device& device,
                                                    const gallery::Variant& variant,
                                                    const PlanShape& shape, const Tuning& tuning) {
  return std::make_shared<OrderChunkReduce>(
      device, variant, shape, chunks_of(device, shape, tuning),
      build_chunk_leaves(device, variant, to_accumulators(shape), tuning),
      build_nodes(device, shape, 1));
}

std::shared_ptr<const Plan> plan_order_single_chunk_reduce(const Device& device,
                                                           const gallery::Variant& variant,
                                                           const PlanShape& shape,
                                                           const Tuning& tuning) {
  return std::make_shared<OrderSingleChunkReduce>(
      device, variant, shape, chunks_of(device, shape, tuning),
      build_chunk_leaves(device, variant, shape, tuning));
}

std::shared_ptr<const Plan> plan_order_tile_reduce(const Device& device,
                                                   const gallery::Variant& variant,
                                                   const PlanShape& shape, const Tuning& tuning) {
  const PlanShape totals = to_accumulators(shape);
  const std::string_view entry = row_of(variant).entry_in(variant);
  return std::make_shared<OrderReduce>(
      device, variant, shape, tiles_of(shape, no_limit),
      build_tile_kernel(device, variant, totals, tuning, entry),
      build_nodes(device, shape, last_group(device, shape, tuning.get("GROUP_SIZE"))));
}

std::shared_ptr<const Plan> plan_order_tile_chunk_reduce(const Device& device,
                                                         const gallery::Variant& variant,
                                                         const PlanShape& shape,
                                                         const Tuning& tuning) {
  const PlanShape totals = to_accumulators(shape);
  const std::string_view entry = row_of(variant).entry_in(variant);
  return std::make_shared<OrderReduce>(
      device, variant, shape, tiles_of(shape, max_groups(device, tuning)),
      build_tile_loop(device, variant, totals, tuning, entry), build_nodes(device, shape, 1));
}

}  // namespace bifold::core
