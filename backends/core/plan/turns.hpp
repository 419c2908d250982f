// Turns of loops: what a work-item may make of them where a driver ends loops before their end.
#pragma once

#include <bifold/device.hpp>
#include <cstddef>
#include <cstdint>

namespace bifold::core {

/// Chunks of the CPU rows are multiples of this many elements.
inline constexpr std::uint32_t chunk_granule = 4096;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// As many as asked for: no device and no memory ends sooner.
inline constexpr std::uint64_t no_limit = std::uint64_t{1} << 63;

/// Turns of all loops of a work-item together, at most, as one driver counts them so: for each span
/// of what it walks, and whatever it walks.
struct Turns {
  std::uint64_t each;
  std::uint64_t besides;
};

/// The most spans that one work-item of the device may take; no_limit where loops are as long as
/// they are written. Throws unsupported where it may not take one.
std::uint64_t most_spans(const Device& device, const Turns& turns);

/// The product; no_limit beyond that.
constexpr std::uint64_t at_most(std::uint64_t count, std::uint64_t each) noexcept {
  return each > 0 && count > no_limit / each ? no_limit : count * each;
}

/// Of a work-item that takes `per_item` elements of each span of its group, by loops that may be
/// nested in twos, and of exchange within the group.
Turns turns_per_span(std::uint64_t per_item);

/// Of a reduction over chunks by so many accumulators at once, for each chunk_granule elements.
Turns turns_of_stripes(std::uint64_t stripes);

/// Of a scan's pass over chunks, for each chunk_granule elements, and of its pass over the results
/// of chunks, for each of them.
Turns turns_of_chunk_scan();
Turns turns_of_chunk_results();

/// Of the tree over a leaf by one work-item.
Turns turns_of_leaf(std::uint64_t columns, std::uint64_t rows);

/// Of a work-item for all nodes that its group combines at a time.
Turns turns_of_nodes();

/// Of a tile of order v1 by one work-item, and of the pass over totals of tiles, for each group of
/// them.
Turns turns_of_tile(std::size_t accumulator_bytes);
Turns turns_of_tile_group();

}  // namespace bifold::core
