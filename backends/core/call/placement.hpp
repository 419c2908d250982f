// Where the data of a call lies: one array is one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/call/run_plan.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

/// Memory that messages call by a name, of several things.
struct NamedView {
  ErasedView view;
  const char* name;
};

/// The data of a call, with its lines in the fewest dimensions that all of its arrays share.
struct Placement {
  std::uint64_t n = 0;      ///< Elements of a line.
  std::uint64_t lines = 1;  ///< Their number.
  /// What lines reach of the views.
  ErasedView input;
  ErasedView output;
  std::vector<ErasedView> more_outputs{};  ///< They lie as the output does.
  std::optional<ErasedView> second{};
  std::vector<ErasedView> more_inputs{};  ///< They lie as the second one does.
  /// What else the call reads, and what it writes, wherever that lies.
  std::vector<NamedView> also_read{};
  std::vector<NamedView> also_written{};
  CallLines placed{};
  bool one_array = true;     ///< Without lines.
  bool alike = true;         ///< Outputs lie as the input,
  bool alike_second = true;  ///< and as the arrays beside it.
  /// Results of lines lie one behind the other.
  bool side_by_side = true;
  // Elements of the views before the first element of line 0.
  std::uint64_t input_origin = 0;
  std::uint64_t output_origin = 0;
  std::uint64_t second_origin = 0;
};

/// The output of a call, and those beside it.
inline std::size_t outputs_of(const Placement& call) { return 1 + call.more_outputs.size(); }
inline const ErasedView& output_at(const Placement& call, std::size_t k) {
  return k == 0 ? call.output : call.more_outputs[k - 1];
}

/// The arrays of a call beside its input.
inline std::size_t inputs_beside(const Placement& call) {
  return (call.second ? 1 : 0) + call.more_inputs.size();
}
inline const ErasedView& input_beside(const Placement& call, std::size_t k) {
  if (k == 0 && call.second) return *call.second;
  return call.more_inputs.at(call.second ? k - 1 : k);
}

/// Whether the options name lines of any array.
inline bool names_lines(const CallOptions& options) noexcept {
  return options.lines || options.output_lines || options.second_lines || options.lines_from;
}

/// How the lines lie that the options name; none where these are one array. Throws invalid_argument
/// for lines of other arrays without the input's.
LineLayout named_layout(const CallOptions& options);

/// Throws invalid_argument for options that name more than one of lines, segments and keys.
void check_parts(const CallOptions& options);

/// The same of any options.
inline LineLayout layout_of(const CallOptions& options) {
  if (options.segments || options.keys) {
    check_parts(options);
    return LineLayout::segments;
  }
  return names_lines(options) ? named_layout(options) : LineLayout::none;
}

/// The most elements that a line of the call has, whose input has so many.
inline std::uint64_t length_of(const CallOptions& options, std::uint64_t count) noexcept {
  return options.lines ? options.lines->length : count;
}

/// Throws invalid_argument for lines that do not fit one another, the views or 64 bits, and for
/// outputs that overlap each other.
Placement placement_of_lines(Algorithm algorithm, const CallViews& views, const Lines& lines,
                             const CallOptions& options);

/// The same of a reduction of segments.
Placement placement_of_segments(const CallViews& views, const Segments& segments,
                                const CallOptions& options);

/// The same of a reduction by key, which has a line for each place of its results.
Placement placement_of_keys(const CallViews& views, const Keys& keys, const CallOptions& options);

/// The same of any call.
inline Placement placement_of(Algorithm algorithm, const CallViews& views,
                              const CallOptions& options) {
  if (options.keys) return placement_of_keys(views, *options.keys, options);
  if (options.segments) return placement_of_segments(views, *options.segments, options);
  if (options.lines) return placement_of_lines(algorithm, views, *options.lines, options);
  Placement call;
  call.n = views.input.count;
  call.input = views.input;
  call.output = views.output;
  call.second = views.second;
  call.more_inputs.assign(views.more_inputs.begin(), views.more_inputs.end());
  for (const Output& more : options.more_outputs) call.more_outputs.push_back(more.view);
  call.placed.input.length = call.placed.second.length = call.n;
  call.placed.output.length = algorithm == Algorithm::scan ? call.n : 1;
  return call;
}

}  // namespace bifold::core
