#include "core/shape/line_extent.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <limits>
#include <string>

namespace bifold::core {

namespace {

struct Dimension {
  std::uint64_t count;
  std::int64_t stride;
};

std::array<Dimension, 3> dimensions_of(const Lines& lines) noexcept {
  return {{{lines.outer, lines.outer_stride},
           {lines.length, lines.stride},
           {lines.inner, lines.inner_stride}}};
}

std::uint64_t distance_of(std::int64_t stride) noexcept {
  const auto bits = static_cast<std::uint64_t>(stride);
  return stride < 0 ? ~bits + 1 : bits;
}

// 2^64 - 1 stands for all that is more.
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > most / b ? most : a * b;
}
std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept { return a > most - b ? most : a + b; }

}  // namespace

LineExtent extent_of(const Lines& lines, const char* role) {
  const auto refuse = [role] {
    throw Error(ErrorCategory::invalid_argument,
                std::string(role) + ": the lines have more elements than 64 bits count");
  };
  const bool empty = lines.outer == 0 || lines.length == 0 || lines.inner == 0;
  const std::uint64_t count = product(lines.outer, lines.inner);
  if (count == most || (!empty && product(count, lines.length) == most)) refuse();
  if (empty) return {};
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  for (const auto& [n, stride] : dimensions_of(lines)) {
    std::uint64_t& side = stride < 0 ? below : above;
    side = sum(side, product(n - 1, distance_of(stride)));
  }
  const std::uint64_t elements = sum(sum(below, above), 1);
  if (elements == most) refuse();
  return {elements, below};
}

bool lie_apart(const Lines& lines) {
  std::array<Dimension, 3> dimensions = dimensions_of(lines);
  std::sort(dimensions.begin(), dimensions.end(), [](const Dimension& a, const Dimension& b) {
    return distance_of(a.stride) < distance_of(b.stride);
  });
  if (lines.outer == 0 || lines.length == 0 || lines.inner == 0) return true;
  std::uint64_t reach = 0;
  for (const auto& [n, stride] : dimensions) {
    if (n == 1) continue;
    if (distance_of(stride) <= reach) return false;
    reach = sum(reach, product(n - 1, distance_of(stride)));
  }
  return true;
}

LineLayout layout_of(const Lines& lines) noexcept {
  const bool inner = lines.inner > 1;
  const std::uint64_t to_next_line = distance_of(inner ? lines.inner_stride : lines.outer_stride);
  const bool several = lines.length > 0 && (inner || lines.outer > 1);
  // Single elements have no stride of their own.
  const std::uint64_t to_next_element = lines.length > 1 ? distance_of(lines.stride) : 2;
  return several && to_next_line < to_next_element ? LineLayout::across : LineLayout::along;
}

bool has_unit_stride(const Lines& lines) noexcept { return lines.stride == 1 || lines.length <= 1; }

bool is_one_array(const Lines& lines) noexcept {
  return lines.outer == 1 && lines.inner == 1 && has_unit_stride(lines);
}

}  // namespace bifold::core
