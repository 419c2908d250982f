// The scan of many lines in order v1, and the totals of its tiles.
#pragma once

#include <cstdint>
#include <memory>

#include "core/sequences/line_kernels.hpp"

namespace bifold::core {

/// Rows of short lines that a warp has at once, and the elements of a work-item in each.
struct ShortRows {
  std::uint32_t run;
  std::uint32_t rows;
};

/// The launch that leaves the totals of the tiles of all lines. Kernel: (input, input_offset, n,
/// lines, partials, partials_offset, LinePlaces, LineRows) of short lines; (input, input_offset, n,
/// lines, partials, partials_offset, partials of a line, LinePlaces, LineTiles or ColumnTiles).
class LineTotals {
 public:
  LineTotals(const Request& request, Algorithm algorithm, const Tuning& tuning);

  /// Lengths that it has kernels for.
  [[nodiscard]] Sizes serves() const noexcept { return serves_; }
  /// Elements of a tile.
  [[nodiscard]] std::uint64_t tile() const noexcept { return tile_; }
  /// `each` partial results are set aside for a line.
  void enqueue(const Call& call, const Range& partials, std::uint64_t each) const;

 private:
  struct Kernels {
    PlannedKernel short_lines;  ///< Where a reduction may have them.
    PlannedKernel tiles;
    bool across;
  };
  std::uint64_t tile_;
  std::uint64_t run_;
  ShortRows short_;
  Sizes serves_;
  ByLayout<Kernels> kernels_;
};

/// Long lines take three launches: LineTotals, their prefixes, and the scan: (input, input_offset,
/// n, lines, init, partials, partials_offset, output, output_offset, LinePlaces, LineTiles or
/// ColumnTiles, total). Lines of one tile take the last one alone, short ones another: (input,
/// input_offset, n, lines, init, output, output_offset, LinePlaces, LineRows, total).
std::shared_ptr<const detail::Plan> plan_line_scan(const Request& request, const Row& row,
                                                   const Tuning& tuning);
/// The same, but long lines take one launch, whose tiles look back: (input, input_offset, n, lines,
/// output, init, control, LinePlaces, LineTiles or ColumnTiles, ScanPlaces, total).
std::shared_ptr<const detail::Plan> plan_line_lookback(const Request& request, const Row& row,
                                                       const Tuning& tuning);

}  // namespace bifold::core
