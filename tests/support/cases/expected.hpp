// What a run must give, from the sequential reference, with an error bound where sums round.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/cases/workload.hpp"

namespace bifold::test {

/// Values and how far a result may be from them.
struct Expected {
  HostData values;
  std::vector<double> bounds{};  ///< Empty: the bits must agree (NaN with any NaN).
};

/// The results of `workload` on input[offset, offset + n): one for a reduction, n for a scan.
Expected expected_of(const Workload& workload, const HostData& input, std::uint64_t offset,
                     std::uint64_t n, const Value& init);

/// Says where `got` first differs from `expected` (index, tile, both values, difference, number of
/// wrong elements), or nothing when it does not. `got` has the expected number of elements.
std::string first_difference(const Expected& expected, const std::byte* got);

}  // namespace bifold::test
