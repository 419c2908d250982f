// The scan of many lines in order v1, and the totals of its tiles.
#pragma once

#include <cstdint>
#include <memory>

#include "core/plan/planning.hpp"

namespace bifold::core {

/// A kernel for each layout of lines that calls may bring.
struct LineKernels {
  PlannedKernel along;
  PlannedKernel across;
  PlannedKernel short_across;  ///< Of lines of a few runs.
};

/// What decides about blocks of lines beside the lines.
struct LineBlock {
  std::uint64_t run;   ///< Elements of a run.
  std::uint64_t rows;  ///< Of a warp.
};

/// The launch that leaves the totals of the tiles of all lines. Kernel: (input, input_offset, n,
/// lines, partials, partials_offset, partials of a line, LinePlaces, LineTiles).
class LineTotals {
 public:
  LineTotals(const Request& request, Algorithm algorithm, const Tuning& tuning);

  /// Elements of a tile.
  [[nodiscard]] std::uint64_t tile() const noexcept { return tile_; }
  /// `each` partial results are set aside for a line.
  void enqueue(const Call& call, const Range& partials, std::uint64_t each) const;

 private:
  std::uint64_t tile_;
  LineBlock block_;
  LineKernels kernels_;
};

/// One launch if lines have one tile: (input, input_offset, n, lines, init, partials,
/// partials_offset, output, output_offset, LinePlaces, LineTiles, total). Else LineTotals and their
/// prefixes first.
std::shared_ptr<const detail::Plan> plan_line_scan(const Request& request, const Row& row,
                                                   const Tuning& tuning);

}  // namespace bifold::core
