#include "core/sequences/scan_order_sequences.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <limits>
#include <utility>

#include "core/plan/planning.hpp"
#include "core/sequences/lookback.hpp"
#include "core/sequences/order_tiles.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// Totals of tiles, their prefixes, the tiles from there.
class OrderPasses final : public Plan {
 public:
  struct Kernels {
    PlannedKernel total;
    PlannedKernel prefix;
    PlannedKernel scan;
  };
  // A group takes `most_tiles` of the tiles at most.
  OrderPasses(const Request& request, const gallery::Variant& variant, std::uint64_t max_groups,
              std::uint64_t most_tiles, Kernels kernels)
      : Plan(request, variant),
        tile_(order_v1::scan_tile(size_of(request.shape.accumulator))),
        max_groups_(max_groups),
        most_tiles_(most_tiles),
        most_tile_groups_(most_spans(request.device, turns_of_tile_group())),
        kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return accumulators(n / tile_ + 1, accumulator_bytes());
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return at_most(most_tile_groups_, tile_ * order_v1::scan_group_tiles);
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t n = call.count.n;
    const std::uint64_t groups = groups_of(divide_up(n, tile_), max_groups_, most_tiles_);
    const Range partials = partials_of(call);
    // Nobody asks for the total of a tile that is not full.
    if (n >= tile_) {
      launch(call.queue, kernels_.total, groups, call.input, call.count, partials);
    }
    launch(call.queue, kernels_.prefix, 1, partials, call.count, call.init);
    launch(call.queue, kernels_.scan, groups, call.input, call.count, partials, call.output,
           call.more_outputs, call.total);
  }

 private:
  std::uint64_t tile_;
  std::uint64_t max_groups_;
  std::uint64_t most_tiles_;
  std::uint64_t most_tile_groups_;  // That the group of the second launch goes through.
  Kernels kernels_;
};

PublishedTiles published_tiles(const PlanShape& shape) {
  return {order_v1::scan_tile(size_of(shape.accumulator)), order_v1::scan_group_tiles};
}

}  // namespace

std::shared_ptr<const Plan> plan_order_lookback(const Request& request, const Row& row,
                                                const Tuning& tuning) {
  return make_lookback(request, row.variant, published_tiles(request.shape),
                       build_tile_kernel(request, row, tuning, row.variant.family));
}

std::shared_ptr<const Plan> plan_order_ahead(const Request& request, const Row& row,
                                             const Tuning& tuning) {
  return make_lookback(request, row.variant, published_tiles(request.shape),
                       build_tile_kernel(request, row, tuning, row.variant.family),
                       max_groups(request.device, tuning));
}

std::shared_ptr<const Plan> plan_order_ring(const Request& request, const Row& row,
                                            const Tuning& tuning) {
  const Layout& layout = request.layout;
  Tuning values = tuning;
  std::uint32_t stages = tuning.stages.value();
  const std::uint32_t looking = layout.looks_back_by_groups ? 2 : 1;
  Defines defines{{"LOOKING", looking}};
  if (layout.run_bytes == 8) {
    // As many bytes on their way are twice as many tiles, and there is less time for each.
    stages *= 2;
    values.lookback_distance_tiles = tuning.lookback_distance_tiles.value() + 1;
    defines.emplace_back("ASKED_AHEAD", 16);
    // Least of all of 2-byte elements: every other tile asks for groups, for the next one besides,
    // which takes asking earlier and room for those that wait.
    if (size_of(request.shape.input) == 2) {
      stages += 4;
      values.lookback_distance_tiles = tuning.lookback_distance_tiles.value() + 3;
      values.lookback_distance_groups = tuning.lookback_distance_groups.value() + 2;
      defines.emplace_back("ASKS_FOR_NEXT", 1);
    }
  }
  // Results in spans, and those that no vector holds, are gathered beside the stages.
  const bool gathers = layout.spans || layout.gathers_results;
  PlanShape inner = request.shape;
  inner.accumulator = layout.accumulator;
  RingNeeds needs;
  if (gathers) needs.gathered_bytes = gathered_bytes(request.shape, layout, !layout.spans);
  const RingMemory memory = ring_memory(request, inner.accumulator, stages, needs);
  const PublishedTiles tiles{ring_tile(layout), order_v1::scan_group_tiles,
                             layout.aligns_tiles ? layout.run : 0};
  return make_lookback(
      request, row.variant, tiles,
      build_ring_kernel(request.with(inner), row, values, memory, looking, std::move(defines)),
      request.device.capabilities().compute_units, inner.accumulator);
}

std::shared_ptr<const Plan> plan_order_drawn(const Request& request, const Row& row,
                                             const Tuning& tuning) {
  return make_lookback(request, row.variant, published_tiles(request.shape),
                       build_tile_loop(request, row, tuning, row.variant.family),
                       max_groups(request.device, tuning));
}

std::shared_ptr<const Plan> plan_order_passes(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    return build_tile_kernel(request, row, tuning, entry);
  };
  return std::make_shared<OrderPasses>(
      request, row.variant, no_limit, no_limit,
      OrderPasses::Kernels{kernel("total_tiles"), kernel("prefix_tiles"), kernel("scan_tiles")});
}

std::shared_ptr<const Plan> plan_order_chunks(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    return build_tile_loop(request, row, tuning, entry);
  };
  return std::make_shared<OrderPasses>(
      request, row.variant, max_groups(request.device, tuning),
      most_spans(request.device, turns_of_tile(size_of(request.shape.accumulator))),
      OrderPasses::Kernels{kernel("total_chunks"), kernel("prefix_chunks"), kernel("scan_chunks")});
}

}  // namespace bifold::core
