// The launch sequence of every scan whose tiles publish words and wait for earlier ones.
#pragma once

#include <cstdint>
#include <memory>

#include "core/plan.hpp"

namespace bifold::core {

/// What the tiles of an input publish.
struct PublishedTiles {
  std::uint64_t elements;       ///< Of a tile.
  std::uint64_t per_group = 0;  ///< Tiles of a group that has a value of its own; 0: no groups.

  [[nodiscard]] std::uint64_t count(std::uint64_t n) const noexcept;
  /// One per tile, one per group, and one behind the last group.
  [[nodiscard]] std::uint64_t values(std::uint64_t n) const noexcept;
};

/// One launch, a work-group per tile, or `max_groups` that draw one after the other. Kernel:
/// (input, input_offset, n, output, output_offset, init, control, control_offset, capacity, tiles),
/// each value as its prelude file takes it.
std::shared_ptr<const detail::Plan> make_lookback(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, PublishedTiles tiles,
                                                  PlannedKernel kernel,
                                                  std::uint64_t max_groups = ~std::uint64_t{0});

}  // namespace bifold::core
