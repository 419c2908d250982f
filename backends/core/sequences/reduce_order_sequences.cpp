#include "core/sequences/reduce_order_sequences.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/device/state.hpp"
#include "core/plan/make_spec.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/sequences/order_tiles.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

/// Subtrees of leaves, then the tree over the subtrees.
class OrderReduce : public Plan {
 public:
  OrderReduce(const Request& request, const gallery::Variant& variant, Subtrees subtrees,
              PlannedKernel leaves, PlannedKernel nodes)
      : Plan(request, variant),
        subtrees_(subtrees),
        leaves_(std::move(leaves)),
        nodes_(std::move(nodes)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return accumulators(subtrees_.nodes_up_to(n), accumulator_bytes());
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return subtrees_.most_elements();
  }

  void enqueue(const Call& call) const override {
    const Range nodes = partials_of(call);
    const std::uint64_t count = subtrees_.nodes(call.count.n);
    reduce_leaves(call, nodes, count);
    launch(call.queue, nodes_, 1, nodes, call.count, subtrees_.elements_per_node(call.count.n),
           call.init, call.output, call.more_outputs);
  }

 protected:
  virtual void reduce_leaves(const Call& call, const Range& nodes, std::uint64_t count) const {
    launch(call.queue, leaves_, groups_of(count, subtrees_.most_groups, subtrees_.most_each),
           call.input, call.count, nodes);
  }

  [[nodiscard]] const Subtrees& subtrees() const noexcept { return subtrees_; }
  [[nodiscard]] const PlannedKernel& leaves() const noexcept { return leaves_; }

 private:
  Subtrees subtrees_;
  PlannedKernel leaves_;
  PlannedKernel nodes_;
};

/// The same where a node has as many leaves as the input asks for.
class OrderChunkReduce final : public OrderReduce {
 public:
  using OrderReduce::OrderReduce;

 private:
  void reduce_leaves(const Call& call, const Range& nodes, std::uint64_t count) const override {
    launch(call.queue, leaves(), count, call.input, call.count,
           subtrees().leaves_per_node(call.count.n), nodes);
  }
};

// The work-items of the last group: what they keep in local memory has to fit, however wide an
// accumulator is.
std::uint32_t last_group(const Device& device, const PlanShape& shape, std::uint32_t group) {
  constexpr std::size_t local_bytes = 16384;
  const auto fitting = static_cast<std::uint32_t>(
      local_bytes / AccumulatorLayout(shape.op, shape.accumulator).bytes);
  return std::bit_floor(std::min({4 * group, device.capabilities().max_group_size, fitting}));
}

// The kernel of the last group, of that size or what the device can have of it.
PlannedKernel build_nodes(const Request& request, std::uint32_t group_size) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_order_nodes";
  spec.input = spec.accumulator = request.shape.accumulator;
  spec.output = request.shape.output;
  spec.result_map = request.shape.result_map;
  spec.more_outputs = request.shape.more_outputs;
  spec.op = request.shape.op;
  spec.may_go = request.may_go;
  add_scalars(request, spec);
  // One work-item has nobody to exchange registers with.
  constexpr ForcedPart alone[] = {{"neighbours", "neighbours_local"},
                                  {"item_tree", "item_tree_local"}};
  PartQuestion question{.request = request};
  if (group_size == 1) question.forced = alone;
  add_parts(question, spec);
  spec.defines.emplace_back("NODES_PER_ITEM", nodes_per_item);
  for (;;) {
    spec.group_size = group_size;
    try {
      return build_kernel(request.device, spec);
    } catch (const GroupTooLarge& too_large) {
      group_size = too_large.next(group_size);
      if (group_size == 0) throw;
    }
  }
}

}  // namespace

std::shared_ptr<const Plan> plan_order_reduce(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  const Tuning values = with_whole_leaves(tuning);
  const std::uint32_t group = values.group_size.value();
  const std::uint32_t columns = order_v1::leaf_columns(request.shape.accumulator);
  PlannedKernel nodes = build_nodes(request, last_group(request.device, request.shape, group));
  const Subtrees subtrees =
      combined_by(request.device, nodes.group_size, subtrees_of(columns, group));
  return std::make_shared<OrderReduce>(
      request, row.variant, subtrees,
      build_leaves(request.with(to_accumulators(request.shape)), row, values, columns),
      std::move(nodes));
}

std::shared_ptr<const Plan> plan_order_chunk_reduce(const Request& request, const Row& row,
                                                    const Tuning& tuning) {
  return std::make_shared<OrderChunkReduce>(
      request, row.variant, chunks_of(request.device, request.shape, tuning),
      build_chunk_leaves(request.with(to_accumulators(request.shape)), row, tuning),
      build_nodes(request, 1));
}

std::shared_ptr<const Plan> plan_order_tile_reduce(const Request& request, const Row& row,
                                                   const Tuning& tuning) {
  const PlanShape totals = to_accumulators(request.shape);
  const std::string_view entry = row.entry();
  PlannedKernel nodes =
      build_nodes(request, last_group(request.device, request.shape, tuning.group_size.value()));
  const Subtrees subtrees = combined_by(request.device, nodes.group_size,
                                        tiles_of(request.device, request.shape, no_limit));
  return std::make_shared<OrderReduce>(request, row.variant, subtrees,
                                       build_tile_kernel(request.with(totals), row, tuning, entry),
                                       std::move(nodes));
}

std::shared_ptr<const Plan> plan_order_tile_chunk_reduce(const Request& request, const Row& row,
                                                         const Tuning& tuning) {
  const PlanShape totals = to_accumulators(request.shape);
  const std::string_view entry = row.entry();
  return std::make_shared<OrderReduce>(
      request, row.variant,
      combined_by(request.device, 1,
                  tiles_of(request.device, request.shape, max_groups(request.device, tuning))),
      build_tile_loop(request.with(totals), row, tuning, entry), build_nodes(request, 1));
}

}  // namespace bifold::core
