// The runs that everybody makes alike, so that they can be compared.
#pragma once

#include <bifold/bifold.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "data/matrix.hpp"
#include "measure/timing.hpp"

namespace bench {

/// Production in order v1, reductions and inclusive scans: sums of every type, and maxima of i32
/// and f32; then sums of i32 and f32 along the lines of matrices. Floating sums are of data that
/// round.
struct Suite {
  std::string_view name;
  std::string_view gpu_sizes;
  std::string_view cpu_sizes;
  Budget budget;  ///< In each of the three regimes.
};

std::span<const Suite> suites();

/// Whether the suites measure that operator on that type.
bool suites_have(bifold::Type type, const bifold::Operator& op);
/// Whether they measure it along lines, too.
bool suites_have_lines(bifold::Type type, const bifold::Operator& op);

/// The matrices of every suite: one along either axis, of as many elements as a size of theirs on
/// every device.
std::vector<Matrix> suite_matrices();

}  // namespace bench
