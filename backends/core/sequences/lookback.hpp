// The launch sequence of every scan whose tiles publish words and wait for earlier ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/plan/launch.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

/// What the tiles of an input publish.
struct PublishedTiles {
  std::uint64_t elements;       ///< Of a tile.
  std::uint64_t per_group = 0;  ///< Tiles of a group that has a value of its own; 0: no groups.
  /// Elements of a vector, if the kernel takes the misalignment: its tiles begin where vectors do,
  /// if input and output are misaligned alike, and the first has fewer elements. 1: the kernel
  /// takes a misalignment, which is always 0; 0: it takes none.
  std::uint64_t vector = 0;

  [[nodiscard]] std::uint64_t count(std::uint64_t n) const noexcept;
  /// One per tile, one per group, and one behind the last group.
  [[nodiscard]] std::uint64_t values(std::uint64_t n) const noexcept;
};

/// Scratch of a single pass that publishes so many values.
ScratchSize lookback_scratch(std::uint64_t values, std::size_t bytes_each) noexcept;

/// Where a single pass over so many tiles finds its output and control words. Throws unsupported if
/// these are too many, or if the device cannot scan in place.
ScanPlaces lookback_places(const Call& call, std::uint64_t tiles, bool acquire_release);

/// One launch, a work-group per tile, or `max_groups` that draw one after the other. Kernel:
/// (input, input_offset, n, output, init, control, places), places being ScanPlaces, each value as
/// its kernel part takes it; with the misalignment behind input_offset where tiles have a vector.
/// Its accumulators are the shape's, or integers of the type `accumulator`, to which those convert.
std::shared_ptr<const detail::Plan> make_lookback(const Request& request,
                                                  const gallery::Variant& variant,
                                                  PublishedTiles tiles, PlannedKernel kernel,
                                                  std::uint64_t max_groups = ~std::uint64_t{0},
                                                  std::optional<Type> accumulator = std::nullopt);

}  // namespace bifold::core
