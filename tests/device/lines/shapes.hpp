// Matrices of every size that changes how a kernel goes about it, few enough for a CPU.
#pragma once

#include <array>
#include <bifold/lines.hpp>
#include <cstdint>
#include <vector>

#include "support/cases/affordable.hpp"

namespace bifold::test {

/// Rows and columns of matrices of up to `most` elements; of `every` of them one.
inline std::vector<Lines> line_shapes(std::uint64_t most, std::size_t every = 1) {
  constexpr std::array<std::uint64_t, 10> sizes{0, 1, 2, 31, 33, 127, 129, 4095, 4097, 70'001};
  if (simulated()) most = 4'000;
  std::vector<Lines> shapes;
  std::size_t turn = 0;
  for (const std::uint64_t rows : sizes) {
    for (const std::uint64_t columns : sizes) {
      if (rows * columns > most) continue;
      for (const Lines& lines : {Lines::rows(rows, columns), Lines::columns(rows, columns)}) {
        if (turn++ % every == 0) shapes.push_back(lines);
      }
    }
  }
  return shapes;
}

}  // namespace bifold::test
