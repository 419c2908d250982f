// The pass over consecutive chunks by which a CPU reduces, for a reduction and for a scan.
#pragma once

#include "core/plan/planning.hpp"

namespace bifold::core {

/// Its kernel: one work-item for each chunk.
PlannedKernel build_chunk_reduction(const Request& request, const Tuning& tuning);

}  // namespace bifold::core
