#include "core/call/placement.hpp"

#include <array>
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
  if (others.count() == lines.count() && others.length == length) return;
  refuse(std::string(role) + ": other lines than the input's, " + std::to_string(others.outer) +
         " times " + std::to_string(others.inner) + " of " + std::to_string(others.length));
}

// Whether one stride leads from each line to the next one, and which. Modulo 2^64, as kernels
// compute places.
std::optional<std::int64_t> stride_of_lines(const Lines& lines) noexcept {
  if (lines.inner == 1) return lines.outer_stride;
  const auto past_inner =
      static_cast<std::int64_t>(lines.inner * static_cast<std::uint64_t>(lines.inner_stride));
  if (lines.outer == 1 || lines.outer_stride == past_inner) return lines.inner_stride;
  return {};
}

// Gives the lines of all arrays the same indices: one where that tells all places, else the two of
// those which need them.
void share_indices(CallLines& placed) {
  const std::uint64_t count = placed.input.count();
  if (count == 0) return;
  const std::array all{&placed.input, &placed.second, &placed.output};
  const Lines* model = nullptr;
  for (const Lines* lines : all) {
    if (stride_of_lines(*lines)) continue;
    if (model != nullptr && (lines->outer != model->outer || lines->inner != model->inner)) {
      refuse("lines of different arrays, " + std::to_string(model->outer) + " times " +
             std::to_string(model->inner) + " and " + std::to_string(lines->outer) + " times " +
             std::to_string(lines->inner) + ", without one stride");
    }
    model = lines;
  }
  const std::uint64_t inner = model == nullptr ? count : model->inner;
  const std::uint64_t outer = model == nullptr ? 1 : model->outer;
  for (Lines* lines : all) {
    const std::optional<std::int64_t> stride = stride_of_lines(*lines);
    if (!stride) continue;
    lines->outer = outer;
    lines->inner = inner;
    lines->outer_stride =
        outer == 1 ? 0 : static_cast<std::int64_t>(inner * static_cast<std::uint64_t>(*stride));
    lines->inner_stride = *stride;
  }
}

// Whether elements of the same line and place lie at the same distance from the first one.
bool lie_alike(const Lines& a, const Lines& b) noexcept {
  return (a.outer == 1 || a.outer_stride == b.outer_stride) &&
         (a.length == 1 || a.stride == b.stride) &&
         (a.inner == 1 || a.inner_stride == b.inner_stride);
}

}  // namespace

void check_parts(const CallOptions& options) {
  const bool lines = options.lines || options.output_lines || options.second_lines;
  if (options.segments && lines) refuse("lines and segments of the input");
  if (options.keys && (options.segments || lines || options.lines_from)) {
    refuse("keys of the input beside lines or segments");
  }
}

LineLayout named_layout(const CallOptions& options) {
  if (!options.lines) refuse("lines of other arrays, or their number, without lines of the input");
  const auto alone = [](const std::optional<Lines>& lines) {
    return !lines || is_one_array(*lines);
  };
  const bool one_array = !options.lines_from && alone(options.lines) &&
                         alone(options.output_lines) && alone(options.second_lines);
  if (one_array) return LineLayout::none;
  const auto are_rows = [](const std::optional<Lines>& lines) {
    return !lines || has_unit_stride(*lines);
  };
  const LineLayout layout = layout_of(*options.lines);
  return layout == LineLayout::along && are_rows(options.lines) && are_rows(options.output_lines) &&
                 are_rows(options.second_lines)
             ? LineLayout::rows
             : layout;
}

Placement placement_of_lines(Algorithm algorithm, const CallViews& views, const Lines& lines,
                             const CallOptions& options) {
  const bool scans = algorithm == Algorithm::scan;
  const auto& [input, second, output, more_inputs] = views;
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
  for (const Output& more : options.more_outputs) {
    call.more_outputs.push_back(reached(more.view, written, scans ? "output" : "result"));
  }
  if (second) call.second = reached(*second, read_second, "second");
  for (const ErasedView& more : more_inputs) {
    call.more_inputs.push_back(reached(more, read_second, "input"));
  }
  call.input_origin = read.origin;
  call.second_origin = read_second.origin;
  call.output_origin = written.origin;
  share_indices(placed);
  call.alike = lie_alike(placed.input, placed.output);
  call.alike_second = lie_alike(placed.second, placed.output);
  call.side_by_side = call.lines <= 1 || stride_of_lines(placed.output) == 1;
  placed.count = {call.lines};
  return call;
}

namespace {

// That of `lines` parts of any length, which messages call `name`.
Placement placement_of_parts(const CallViews& views, std::uint64_t lines, const char* name,
                             const CallOptions& options) {
  check_parts(options);
  const auto& [input, second, output, more_inputs] = views;
  Placement call;
  call.one_array = false;
  call.n = input.count;
  call.lines = lines;
  call.input = input;
  call.second = second;
  call.more_inputs.assign(more_inputs.begin(), more_inputs.end());
  for (std::size_t k = 0; k < inputs_beside(call); ++k) {
    if (input_beside(call, k).count != call.n) refuse("the arrays have different lengths");
  }
  CallLines& placed = call.placed;
  placed.input = {1, call.n, call.lines, 0, 1, 0};
  placed.second = placed.input;
  placed.output = Lines::values(call.lines);
  const auto stored = [&](const ErasedView& view) {
    if (view.count != call.lines) {
      refuse("the result has " + std::to_string(view.count) + " elements, for " +
             std::to_string(call.lines) + " " + name);
    }
    return view;
  };
  call.output = stored(output);
  for (const Output& more : options.more_outputs) call.more_outputs.push_back(stored(more.view));
  placed.count = {call.lines};
  return call;
}

}  // namespace

Placement placement_of_segments(const CallViews& views, const Segments& segments,
                                const CallOptions& options) {
  if (segments.begins.count != segments.ends.count) {
    refuse("the segments have " + std::to_string(segments.begins.count) + " begins and " +
           std::to_string(segments.ends.count) + " ends");
  }
  Placement call = placement_of_parts(views, segments.begins.count, "segments", options);
  call.also_read = {{segments.begins, "begins of segments"}, {segments.ends, "ends of segments"}};
  if (segments.faults) call.also_written = {{*segments.faults, "faults"}};
  return call;
}

Placement placement_of_keys(const CallViews& views, const Keys& keys, const CallOptions& options) {
  if (keys.keys.count != views.input.count) {
    refuse("there are " + std::to_string(keys.keys.count) + " keys of " +
           std::to_string(views.input.count) + " elements");
  }
  Placement call = placement_of_parts(views, keys.unique.count, "unique keys", options);
  call.also_read = {{keys.keys, "keys"}};
  call.also_written = {{keys.unique, "unique keys"}, {keys.runs, "runs"}};
  return call;
}

}  // namespace bifold::core
