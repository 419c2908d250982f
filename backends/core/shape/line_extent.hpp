// How far lines reach in memory: checked before a kernel computes places with them.
#pragma once

#include <bifold/lines.hpp>
#include <cstdint>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// The elements that lines touch lie within so many, of which the first element of line 0 is number
/// `origin`.
struct LineExtent {
  std::uint64_t elements = 0;
  std::uint64_t origin = 0;
};

/// Throws invalid_argument if the lines are more than 2^64, or reach as far.
LineExtent extent_of(const Lines& lines, const char* role);

/// Whether no two elements of the lines lie at one place. Of lines that interleave in an unusual
/// way, it may say no.
bool lie_apart(const Lines& lines);

/// Along or across.
LineLayout layout_of(const Lines& lines) noexcept;

/// Whether an element's neighbour in memory is the next one of its line.
bool has_unit_stride(const Lines& lines) noexcept;

/// Whether it is one array from its first element to its last.
bool is_one_array(const Lines& lines) noexcept;

}  // namespace bifold::core
