// What reductions and scans of many lines share: their kernels, and how lines are shared out.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/plan/planning.hpp"

namespace bifold::core {

/// The kernel of that name over lines, its group size limited by what a work-item keeps in local
/// memory, in accumulators. Some load and store runs of a scan.
PlannedKernel build_line_kernel(const Request& request, Algorithm algorithm,
                                std::string_view kernel, const Tuning& tuning,
                                const Defines& defines, std::uint32_t accumulators_each,
                                bool loads_runs = false);

/// Where the lines of a call lie, and how many there are.
LinePlaces places_of(const Call& call);

/// The smallest power of two that is not less, as an exponent.
std::uint64_t shift_of(std::uint64_t n) noexcept;

/// Groups that go over so many blocks.
std::uint64_t groups_of_blocks(std::uint64_t blocks) noexcept;

/// The last launch of a reduction: the tree over the nodes of each line.
class LineNodes {
 public:
  LineNodes(const Request& request, const Tuning& tuning);

  /// Combines up to `most` nodes of each line, each of so many elements.
  void enqueue(const Call& call, const Range& nodes, std::uint64_t most,
               std::uint64_t elements) const;

 private:
  PlannedKernel kernel_;
};

}  // namespace bifold::core
