#include "core/plan/turns.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/order.hpp>
#include <string>

namespace bifold::core {

std::uint64_t most_spans(const Device& device, const Turns& turns) {
  const std::uint64_t limit = device.capabilities().loop_turns;
  if (limit == 0) return no_limit;
  if (limit < turns.besides + turns.each) {
    throw Error(ErrorCategory::unsupported,
                "loops of this device end after " + std::to_string(limit) +
                    " turns, which is less than the shortest part of an input takes");
  }
  return (limit - turns.besides) / turns.each;
}

Turns turns_per_span(std::uint64_t per_item) { return {16 * per_item + 64, 2048}; }

Turns turns_of_stripes(std::uint64_t stripes) {
  // A turn for an element; of the loop around, and to end the one inside, two for all stripes.
  return {chunk_granule + 2 * divide_up(chunk_granule, stripes), 4 * stripes + 256};
}

Turns turns_of_chunk_scan() { return {3 * std::uint64_t{chunk_granule}, 256}; }

Turns turns_of_chunk_results() { return {1, 256}; }

Turns turns_of_leaf(std::uint64_t columns, std::uint64_t rows) {
  return {rows * (columns + 4) + 8 * columns + 64, 2 * columns + 512};
}

Turns turns_of_nodes() { return {128, 1024}; }

Turns turns_of_tile(std::size_t accumulator_bytes) {
  constexpr std::uint64_t runs =
      std::uint64_t{order_v1::scan_row_runs} * order_v1::scan_warp_tile_rows;
  const std::uint64_t run = order_v1::scan_run(accumulator_bytes);
  // For each run: five steps of a prefix and what stays in front of each, a tree, borders, and the
  // folds within runs. A warp tile that is not full is folded and stored element by element
  // besides.
  const std::uint64_t warp_tile = runs * (16 + run - 1);
  return {warp_tile * order_v1::scan_warp_tiles, runs * 2 * (run + 2) + 512};
}

Turns turns_of_tile_group() { return {16 * std::uint64_t{order_v1::scan_group_tiles}, 512}; }

}  // namespace bifold::core
