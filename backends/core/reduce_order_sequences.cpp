// The reductions in order v1: what they launch may differ, the association may not.
#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <utility>

#include "core/planning.hpp"
#include "core/sequences.hpp"
#include "core/state.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

/// How the leaves of an input are shared out: a node is a subtree of a power of two of them.
struct Subtrees {
  std::uint64_t leaf;      // Elements of a leaf.
  std::uint64_t at_least;  // Leaves of a node; more where there would be too many nodes.
  std::uint64_t most_nodes;

  [[nodiscard]] std::uint64_t leaves_per_node(std::uint64_t n) const noexcept {
    const std::uint64_t wanted = divide_up(divide_up(n, leaf), most_nodes);
    return std::max(at_least, std::bit_ceil(wanted));
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
    return accumulators(subtrees_.nodes_up_to(n), size_of(shape().accumulator));
  }

  void enqueue(const Call& call) const override {
    const Range nodes = partials_of(call);
    const std::uint64_t count = subtrees_.nodes(call.count.n);
    reduce_leaves(call, nodes, count);
    launch(call.queue, last_, 1, nodes, count, call.init, call.output);
  }

 protected:
  virtual void reduce_leaves(const Call& call, const Range& nodes, std::uint64_t count) const {
    launch(call.queue, first_, count, call.input, call.count, nodes);
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

// The kernel over leaves; it loads as a pack what columns a work-item adds, where these make one.
PlannedKernel build_leaves(const Device& device, const gallery::Variant& variant,
                           const PlanShape& shape, const Tuning& tuning) {
  constexpr std::uint32_t widest_pack = 16;
  const std::uint32_t columns = order_v1::leaf_columns(shape.accumulator);
  const std::uint32_t per_item = columns / 32;
  const bool packs = !shape.input.is_struct() && size_of(shape.input) * per_item <= widest_pack;
  PlanShape first = shape;
  first.output = shape.accumulator;
  KernelSpec spec = make_spec(device, variant, first, tuning, row_of(variant).entry_in(variant));
  spec.defines.emplace_back("LEAF_ROWS", order_v1::leaf_rows);
  spec.defines.emplace_back("COLUMNS", columns);
  spec.defines.emplace_back("VEC", packs ? per_item : 1);
  return build_kernel(device, spec);
}

// The kernel of the last group, of that size or what the device can have of it.
PlannedKernel build_nodes(const Device& device, const PlanShape& shape, std::uint32_t group_size) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_order_nodes";
  spec.prelude = {init_path(shape.on_device), "neighbours"};
  spec.input = spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  for (;;) {
    spec.defines = {{"GROUP_SIZE", group_size}};
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
  constexpr std::uint64_t no_limit = std::uint64_t{1} << 63;
  // A leaf takes 32 work-items.
  Tuning values = tuning;
  const std::uint32_t group = std::max(tuning.get("GROUP_SIZE") / 32, 1U) * 32;
  values.set("GROUP_SIZE", group);
  const Subtrees subtrees{order_v1::leaf_elements(shape.accumulator), group / 32, no_limit};
  // What the last group keeps in local memory has to fit, however wide an accumulator is.
  constexpr std::size_t local_bytes = 16384;
  const auto fitting = static_cast<std::uint32_t>(local_bytes / size_of(shape.accumulator));
  const std::uint32_t last_group =
      std::bit_floor(std::min({4 * group, device.capabilities().max_group_size, fitting}));
  return std::make_shared<OrderReduce>(device, variant, shape, subtrees,
                                       build_leaves(device, variant, shape, values),
                                       build_nodes(device, shape, last_group));
}

std::shared_ptr<const Plan> plan_order_chunk_reduce(const Device& device,
                                                    const gallery::Variant& variant,
                                                    const PlanShape& shape, const Tuning& tuning) {
  const Subtrees subtrees{order_v1::leaf_elements(shape.accumulator), 1,
                          max_groups(device, tuning)};
  return std::make_shared<OrderChunkReduce>(device, variant, shape, subtrees,
                                            build_leaves(device, variant, shape, tuning),
                                            build_nodes(device, shape, 1));
}

}  // namespace bifold::core
