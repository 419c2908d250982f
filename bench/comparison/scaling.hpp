// Calls over several devices: how they scale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/grid.hpp"
#include "comparison/comparison.hpp"
#include "document/parts.hpp"

namespace bench {

/// Those of all files, in their order.
std::vector<const GroupResult*> groups_of(const Comparison& comparison);

/// A line for each; or for the largest of those that differ in n alone.
Grid scaling_grid(const Comparison& comparison, bool largest_only);

/// The cells of a line, behind those that say whose it is: a `run` shows the same.
std::vector<Column> scaling_columns();
std::vector<std::string> scaling_cells(const GroupResult& group);

inline constexpr std::string_view scaling_legend =
    "group: a blocking call over all ranks, of the process that takes longest. slice: one device's "
    "call on its slice alone, of the rank that takes longest; share: that beside the group's. "
    "exchange: what a process is in the transport for, of the one that waits least. whole: one "
    "device's call on all elements; speed-up: that over the group's. bits: whether both have the "
    "same.";

/// "Over several devices: 12 of 12 calls have the bits of one."
std::string scaling_summary(const Comparison& comparison);

/// What a chart can show: "strong, reduce f32, NVIDIA H200, mpi".
std::vector<std::string> scaling_keys(const Comparison& comparison);
/// The charts' lines.
Json scaling_of(const Comparison& comparison);

}  // namespace bench
