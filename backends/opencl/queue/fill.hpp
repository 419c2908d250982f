// How a fill is laid out in commands that drivers run right and fast.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// A pattern of 16 bytes fills several times faster than one of a single byte, and NVIDIA's driver
/// (580) counts the elements of narrower ones than 4 bytes in 31 bits.
inline constexpr std::size_t wide_pattern = 16;

/// Calls `part(start, bytes, pattern)` for up to three parts that make up the fill: the bulk with a
/// wide pattern, and what lies before and behind its boundaries. `start` and `bytes` are multiples
/// of the pattern's size, a power of two.
template <class Part>
void for_each_fill_part(std::uint64_t start, std::uint64_t bytes,
                        std::span<const std::byte> pattern, Part part) {
  if (pattern.size() >= wide_pattern || bytes < 4 * wide_pattern) {
    part(start, bytes, pattern);
    return;
  }
  std::array<std::byte, wide_pattern> wide{};
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = pattern[i % pattern.size()];
  const std::uint64_t end = start + bytes;
  const std::uint64_t first = (start + wide_pattern - 1) / wide_pattern * wide_pattern;
  const std::uint64_t last = end / wide_pattern * wide_pattern;
  if (start < first) part(start, first - start, pattern);
  part(first, last - first, std::span<const std::byte>(wide));
  if (last < end) part(last, end - last, pattern);
}

/// A place in a buffer object.
struct Place {
  cl::Buffer object;
  std::uint64_t offset;
};

/// The place to name for a fill with a pattern of that size. NVIDIA's driver (580) takes narrower
/// patterns than 4 bytes to a wrong offset beyond 2 GiB; there the fill goes to a sub-buffer.
Place place_for_fill(const cl::CommandQueue& queue, cl_mem object, std::uint64_t offset,
                     std::uint64_t bytes, std::size_t pattern_size);

}  // namespace bifold::backend::opencl
