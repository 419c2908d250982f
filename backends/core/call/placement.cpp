#include "core/call/placement.hpp"

#include <bifold/error.hpp>
#include <string>

#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// One element of each line, side by side.
Lines results_of(const Lines& lines) noexcept {
  return {lines.outer, 1, lines.inner, static_cast<std::int64_t>(lines.inner), 1, 1};
}

// The part of a view that the lines reach.
ErasedView reached(const ErasedView& view, const LineExtent& extent, const char* role) {
  if (extent.elements > view.count) {
    refuse(std::string(role) + ": the lines reach over " + std::to_string(extent.elements) +
           " elements, the view has " + std::to_string(view.count));
  }
  ErasedView part = view;
  part.count = extent.elements;
  return part;
}

void check_same(const Lines& lines, const Lines& others, std::uint64_t length, const char* role) {
  if (others.outer == lines.outer && others.inner == lines.inner && others.length == length) return;
  refuse(std::string(role) + ": other lines than the input's, " + std::to_string(others.outer) +
         " times " + std::to_string(others.inner) + " of " + std::to_string(others.length));
}

void make_inner(Lines& lines, std::uint64_t count, std::int64_t stride) noexcept {
  lines.outer = 1;
  lines.outer_stride = 0;
  lines.inner = count;
  lines.inner_stride = stride;
}

bool is_dense(const Lines& lines) noexcept {
  // Modulo 2^64, as kernels compute places.
  return static_cast<std::uint64_t>(lines.outer_stride) ==
         lines.inner * static_cast<std::uint64_t>(lines.inner_stride);
}

// One index of lines instead of two, where that tells all places.
void merge(CallLines& placed) noexcept {
  const bool swaps = placed.input.inner == 1;
  if (!swaps && !(is_dense(placed.input) && is_dense(placed.second) && is_dense(placed.output))) {
    return;
  }
  for (Lines* lines : {&placed.input, &placed.second, &placed.output}) {
    make_inner(*lines, lines->outer * lines->inner,
               swaps ? lines->outer_stride : lines->inner_stride);
  }
}

}  // namespace

LineLayout named_layout(const CallOptions& options) {
  if (!options.lines) refuse("lines of other arrays, or their number, without lines of the input");
  const auto alone = [](const std::optional<Lines>& lines) {
    return !lines || is_one_array(*lines);
  };
  const bool one_array = !options.lines_from && alone(options.lines) &&
                         alone(options.output_lines) && alone(options.second_lines);
  return one_array ? LineLayout::none : layout_of(*options.lines);
}

Placement placement_of_lines(Algorithm algorithm, const CallViews& views, const Lines& lines,
                             const CallOptions& options) {
  const bool scans = algorithm == Algorithm::scan;
  const auto& [input, second, output] = views;
  Placement call;
  call.one_array = false;
  CallLines& placed = call.placed;
  placed.input = lines;
  placed.second = options.second_lines.value_or(lines);
  placed.output = options.output_lines.value_or(scans ? lines : results_of(lines));
  const LineExtent read = extent_of(lines, "input");
  const LineExtent read_second = extent_of(placed.second, "second");
  const LineExtent written = extent_of(placed.output, scans ? "output" : "result");
  check_same(lines, placed.second, lines.length, "second");
  check_same(lines, placed.output, scans ? lines.length : 1, scans ? "output" : "result");
  if (!lie_apart(placed.output)) refuse("outputs overlap each other");
  call.n = lines.length;
  call.lines = lines.count();
  call.input = reached(input, read, "input");
  call.output = reached(output, written, scans ? "output" : "result");
  if (second) call.second = reached(*second, read_second, "second");
  call.alike = placed.input == placed.output;
  call.input_origin = read.origin;
  call.second_origin = read_second.origin;
  call.output_origin = written.origin;
  merge(placed);
  placed.count = {call.lines};
  return call;
}

}  // namespace bifold::core
