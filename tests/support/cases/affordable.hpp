// What a test can afford on a device that an interpreter of kernels simulates.
#pragma once

#include <cstddef>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include "support/environment.hpp"

namespace bifold::test {

/// Whether an interpreter simulates the device, thousands of times slower than compiled kernels
/// are.
inline bool simulated() { return device().info().platform.starts_with("Oclgrind"); }

/// Of runs whose number of elements `length` tells: all, or on a simulated device a dozen of
/// those that are not longer than 10,000, spread over them.
template <class Run, class Length>
std::vector<Run> affordable(std::vector<Run> runs, Length length) {
  if (!simulated()) return runs;
  constexpr std::size_t most = 12;
  constexpr std::size_t longest = 10'000;
  std::erase_if(runs, [&](const Run& run) { return length(run) > longest; });
  if (runs.size() <= most) return runs;
  std::vector<Run> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(runs[i * (runs.size() - 1) / (most - 1)]);
  return chosen;
}

/// The same of lengths.
inline std::vector<std::size_t> affordable(std::vector<std::size_t> lengths) {
  return affordable(std::move(lengths), [](std::size_t n) { return n; });
}

/// Whether a test that cannot do with short runs has to be left out; it says so.
inline bool too_long_here() {
  if (simulated()) std::cout << "SKIPPED: too long for a simulated device\n";
  return simulated();
}

}  // namespace bifold::test
