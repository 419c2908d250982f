// The scan of many lines in order v1 for CPUs.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// One launch: (input, input_offset, n, lines, init, partials, partials_offset, output,
/// output_offset, LinePlaces, LineChunks, total). Lines that are too few for the processors have
/// two more in front of it, if they are longer than a tile: total_line_chunks or
/// total_column_chunks, and prefix_line_chunks.
std::shared_ptr<const detail::Plan> plan_line_chunk_scan(const Request& request, const Row& row,
                                                         const Tuning& tuning);

}  // namespace bifold::core
