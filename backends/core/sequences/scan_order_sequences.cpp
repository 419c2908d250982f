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

namespace {

// Local memory beside a ring of so many stages: what the roles tell each other, which is signals,
// tiles and accumulators (`Ring` in order_ring), and what lanes exchange by.
std::uint32_t told_bytes(std::uint32_t stages, std::uint32_t accumulator_bytes) {
  const std::uint32_t slots = stages + 1;
  const std::uint32_t words = 2 * stages + 3 * slots + slots + 2;
  return 8 * words + slots * (order_v1::scan_warp_tiles + 3) * accumulator_bytes + 256;
}

}  // namespace

std::shared_ptr<const Plan> plan_order_ring(const Request& request, const Row& row,
                                            const Tuning& tuning) {
  const std::uint32_t run = request.layout.run;
  const std::uint32_t run_bytes = request.layout.run_bytes;
  const std::uint32_t tile_runs =
      order_v1::scan_row_runs * request.layout.warp_tile_rows * order_v1::scan_warp_tiles;
  // A tile starts as far from a line as in the input, for which a stage has a line more.
  constexpr std::uint32_t vector_bytes = 16;
  constexpr std::uint32_t line_bytes = 128;
  const std::uint32_t stage_bytes = tile_runs * run_bytes + line_bytes;
  std::uint32_t stages = tuning.stages.value();
  std::uint32_t distance_tiles = tuning.lookback_distance_tiles.value();
  std::uint32_t distance_groups = tuning.lookback_distance_groups.value();
  const std::uint32_t looking = request.layout.looks_back_by_groups ? 2 : 1;
  Defines defines{{"LOOKING", looking}};
  if (run_bytes == 8) {
    // As many bytes on their way are twice as many tiles, and there is less time for each.
    stages *= 2;
    distance_tiles += 1;
    defines.emplace_back("ASKED_AHEAD", 16);
    // Least of all of 2-byte elements: every other tile asks for groups, for the next one besides,
    // which takes asking earlier and room for those that wait.
    if (size_of(request.shape.input) == 2) {
      stages += 4;
      distance_tiles += 2;
      distance_groups += 2;
      defines.emplace_back("ASKS_FOR_NEXT", 1);
    }
  }
  // Results in spans, and those that no vector holds, are gathered beside the stages; the latter as
  // far from a line as the output has them, for which a warp tile has a line more.
  const std::uint32_t result_bytes =
      run * static_cast<std::uint32_t>(size_of(request.shape.output));
  std::uint32_t gathered_bytes = 0;
  if (request.layout.spans) {
    gathered_bytes = tile_runs * result_bytes;
  } else if (request.layout.gathers_results) {
    gathered_bytes = tile_runs * result_bytes + order_v1::scan_warp_tiles * line_bytes;
  }
  PlanShape inner = request.shape;
  inner.accumulator = request.layout.accumulator;
  const auto accumulator_bytes = static_cast<std::uint32_t>(size_of(inner.accumulator));
  while (stages * stage_bytes + gathered_bytes + told_bytes(stages, accumulator_bytes) >
         request.device.capabilities().ring_bytes) {
    --stages;
  }
  Tuning values = tuning;
  values.stages = stages;
  values.lookback_distance_tiles = distance_tiles;
  values.lookback_distance_groups = distance_groups;
  defines.emplace_back("RING_STATE_BYTES", told_bytes(stages, accumulator_bytes));
  defines.emplace_back("GATHERED_VECTORS", gathered_bytes / vector_bytes);
  const std::uint32_t lane_groups =
      tuning.reducing.value() + order_v1::scan_warp_tiles + looking + 1;
  const PublishedTiles tiles{std::uint64_t{run} * tile_runs, order_v1::scan_group_tiles,
                             request.layout.aligns_tiles ? run : 0};
  return make_lookback(request, row.variant, tiles,
                       build_ring_kernel(request.with(inner), row, values, defines,
                                         order_v1::scan_row_runs * lane_groups,
                                         stages * stage_bytes + gathered_bytes),
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
