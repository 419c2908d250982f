#include "core/sequences/reduce_order_single.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/kernel/architecture.hpp"
#include "core/plan/by_size.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/sequences/order_tiles.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

/// Subtrees of leaves, and the tree over them by the group that finishes last.
class OrderSingleReduce : public Plan {
 public:
  OrderSingleReduce(const Request& request, const gallery::Variant& variant, Subtrees subtrees,
                    PlannedKernel kernel, std::uint64_t most_at_once = no_limit)
      : Plan(request, variant),
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

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return subtrees_.most_elements();
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t groups = subtrees_.groups(call.count.n);
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
           call.output.memory, call.more_outputs, places);
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
           call.output.memory, call.more_outputs, places);
  }
};

/// One of the kernels that a plan is of: which of them is quickest depends on how long the input
/// is.
struct LeafKernel {
  std::uint32_t group_size;
  std::uint32_t columns;
  std::uint32_t unroll;
  bool half_kept = false;
  bool few_groups = false;
  std::uint32_t leaves_each = 1;

  friend bool operator==(const LeafKernel&, const LeafKernel&) = default;
};

/// Which of them an input of n elements takes.
class LeafKernels {
 public:
  LeafKernels(const Request& request, const Tuning& tuning)
      : group_(tuning.group_size.value()),
        small_group_(std::min(group_, tuning.small_group.value())),
        columns_(order_v1::leaf_columns(request.shape.accumulator)),
        large_columns_(columns_),
        unroll_(tuning.unroll.value()) {
    std::uint64_t bytes_each = 0;
    for (const Type type : arrays_of(request.shape)) bytes_each += size_of(type);
    const auto elements_in = [&](const Tuning::Value& mib) {
      return (std::uint64_t{mib.value()} << 20) / bytes_each;
    };
    const std::uint32_t ptx = ptx_architecture(request.device.capabilities());
    // Small groups spread an input over the whole request.device; of a large one, larger ones leave
    // fewer nodes. So do longer leaves of narrow integers, which take as many bytes then as those
    // of wide ones.
    large_from_ = elements_in(tuning.large_from_mib);
    if (request.layout.combines_words()) large_columns_ = widest_columns(request.shape);
    const bool bytes = combines_bytes(request);
    // Where a row takes more than one of the widest loads, large groups ask for too many registers.
    // Then all are small: what they leave more of is combined in sets.
    if (loads_several(request.shape, columns_)) group_ = small_group_;
    // Leaves of halves have half as many bytes as others: so a lane group takes two, whose loads
    // never pause, with half as many rows at once. Of other narrow elements nothing was measured,
    // nor on GPUs that are not NVIDIA's.
    pairs_ = ptx > 0 && is_storage(request.shape.input) && !request.shape.second &&
             size_of(request.shape.accumulator) <= sizeof(float);
    // Where groups are few, registers are plenty: then a leaf's rows are all on their way at once,
    // or as many of wide ones as have 768 bytes. NVIDIA's alone are known to gain by that.
    // Rows of bytes fill few, so that longer inputs are as quick by that kernel.
    if (has_quick_leaves(request)) {
      quick_to_ = elements_in(bytes ? tuning.large_from_mib : tuning.low_occupancy_max_mib);
    }
    // Of an input that the cache holds not quite, half stays there. Long leaves of bytes are
    // quicker than short ones before that.
    if (ptx >= 80 && loads_widest(request.shape, large_columns_)) {
      half_from_ = elements_in(bytes ? tuning.half_kept_bytes_from_mib : tuning.half_kept_from_mib);
      half_to_ = elements_in(tuning.half_kept_to_mib);
    }
  }

  [[nodiscard]] bool keep_half() const noexcept { return half_from_ < half_to_; }
  void without_half() noexcept { half_to_ = half_from_; }

  [[nodiscard]] LeafKernel at(std::uint64_t n) const noexcept {
    if (half_from_ <= n && n < half_to_) return {group_, large_columns_, unroll_, true};
    if (n < quick_to_) return {small_group_, columns_, order_v1::leaf_rows, false, true};
    if (n < large_from_) return {small_group_, columns_, unroll_};
    if (pairs_) {
      return {.group_size = group_,
              .columns = columns_,
              .unroll = std::max(unroll_ / 2, 1U),
              .leaves_each = 2};
    }
    return {group_, large_columns_, unroll_};
  }

  /// From how many elements on each of them is taken, in ascending order.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, LeafKernel>> in_order() const {
    std::vector<std::uint64_t> borders{0, quick_to_, large_from_, half_from_, half_to_};
    std::ranges::sort(borders);
    std::vector<std::pair<std::uint64_t, LeafKernel>> kernels;
    for (const std::uint64_t from : borders) {
      const LeafKernel kernel = at(from);
      if (kernels.empty() || kernels.back().second != kernel) kernels.emplace_back(from, kernel);
    }
    return kernels;
  }

 private:
  std::uint32_t group_;
  std::uint32_t small_group_;
  std::uint32_t columns_;
  std::uint32_t large_columns_;
  std::uint32_t unroll_;
  bool pairs_ = false;
  std::uint64_t quick_to_ = 0;
  std::uint64_t large_from_ = 0;
  std::uint64_t half_from_ = 0;
  std::uint64_t half_to_ = 0;
};

}  // namespace

std::shared_ptr<const Plan> plan_order_single_reduce(const Request& request, const Row& row,
                                                     const Tuning& tuning) {
  const auto plan_of = [&](const LeafKernel& kernel) {
    Tuning values = tuning;
    values.group_size = kernel.group_size;
    values.unroll = kernel.unroll;
    values = with_whole_leaves(values);
    const std::uint32_t group_size = values.group_size.value();
    Defines defines{{"NODES_PER_ITEM", nodes_per_item}};
    if (kernel.half_kept) defines.emplace_back("HALF_KEPT", 1);
    if (kernel.few_groups) defines.emplace_back("FEW_GROUPS", 1);
    if (kernel.leaves_each > 1) defines.emplace_back("LEAVES_EACH", kernel.leaves_each);
    return std::make_shared<OrderSingleReduce>(
        request, row.variant,
        combined_by(request.device, group_size,
                    subtrees_of(kernel.columns, group_size, kernel.leaves_each)),
        build_leaves(request, row, values, kernel.columns, defines), group_size * nodes_per_item);
  };
  const auto plan_all = [&](const LeafKernels& kernels) {
    std::vector<PlanFrom> plans;
    for (const auto& [from, kernel] : kernels.in_order()) {
      plans.push_back({from, [&plan_of, kernel] { return plan_of(kernel); }});
    }
    return by_size(request, row.variant, plans);
  };
  LeafKernels kernels(request, tuning);
  try {
    return plan_all(kernels);
  } catch (const Error& error) {
    // Where nothing compiles and the library has no PTX of that kernel, it has that of the others.
    if (error.category() != ErrorCategory::unavailable || !kernels.keep_half()) throw;
    log().debug("{}: planned without keeping half of an input in the cache: {}", row.variant.name,
                error.what());
    kernels.without_half();
    return plan_all(kernels);
  }
}

std::shared_ptr<const Plan> plan_order_single_chunk_reduce(const Request& request, const Row& row,
                                                           const Tuning& tuning) {
  return std::make_shared<OrderSingleChunkReduce>(request, row.variant,
                                                  chunks_of(request.device, request.shape, tuning),
                                                  build_chunk_leaves(request, row, tuning));
}

std::shared_ptr<const Plan> plan_order_single_tile_reduce(const Request& request, const Row& row,
                                                          const Tuning& tuning) {
  PlannedKernel kernel = build_tile_kernel(request, row, tuning, row.variant.family);
  const std::uint64_t at_once = std::uint64_t{kernel.group_size} * nodes_per_item;
  const Subtrees subtrees = combined_by(request.device, kernel.group_size,
                                        tiles_of(request.device, request.shape, no_limit));
  return std::make_shared<OrderSingleReduce>(request, row.variant, subtrees, std::move(kernel),
                                             at_once);
}

std::shared_ptr<const Plan> plan_order_single_tile_chunk_reduce(const Request& request,
                                                                const Row& row,
                                                                const Tuning& tuning) {
  return std::make_shared<OrderSingleReduce>(
      request, row.variant,
      combined_by(request.device, 1,
                  tiles_of(request.device, request.shape, max_groups(request.device, tuning))),
      build_tile_loop(request, row, tuning, row.variant.family));
}

}  // namespace bifold::core
