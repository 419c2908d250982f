// Rows whose work-groups wait for one another, under stress: what goes wrong there goes wrong once
// in many runs.
#pragma once

#include <bifold/bifold.hpp>
#include <string>

#include "commands/check/calls.hpp"

namespace bench {

/// What a stress did.
struct StressOutcome {
  std::uint64_t runs = 0;
  std::string problem;  ///< Empty: every result was right.
};

/// Blocks for about `seconds`, or for the fewest runs that are worth anything. Runs the row's scan
/// of sums again and again, compares every result on the device: lengths, inputs and kinds change
/// from run to run, some are in place, and half of them take a caller's workspace. Half of the time
/// the same is done from two queues at once. Throws what the library throws.
template <class T>
StressOutcome stress(const bifold::Device& device, const bifold::gallery::Variant& row,
                     double seconds);

}  // namespace bench
