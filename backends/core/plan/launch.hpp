// Launches: arguments in the order of a kernel's parameters.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/plan/plan.hpp"

namespace bifold::core {

inline backend::Argument argument(const StoredAccumulator& value) {
  return {value.data(), value.size()};
}
inline backend::Argument argument(const std::uint64_t& value) { return {&value, sizeof value}; }

/// Indices and counts that kernels take in one parameter, as the structs of these names in
/// the kernels. Indices count elements of what lies there, from where its memory begins.
struct ScanPlaces {
  std::uint64_t output;
  std::uint64_t control;
  std::uint64_t capacity;
  std::uint64_t tiles;
};
struct SelectPlaces {
  std::uint64_t output;
  std::uint64_t room;  ///< Places from there on.
  std::uint64_t control;
  std::uint64_t capacity;
  std::uint64_t tiles;
};
struct ReducePlaces {
  std::uint64_t nodes;
  std::uint64_t control;
  std::uint64_t result;
  std::uint64_t per_set;  ///< Groups of a set.
};
/// Where lines lie. Strides count elements, modulo 2^64.
struct LineStrides {
  std::uint64_t outer;
  std::uint64_t inner;
  std::uint64_t element;
};
struct LinePlaces {
  LineStrides input;
  LineStrides second;
  LineStrides output;
  std::uint64_t inner;      ///< Lines of one outer index.
  std::uint64_t init_step;  ///< From the initial value of a line to that of the next one.
};
/// How a call over lines is shared out, as the structs of the kernels. A shift is a power of two.
struct LineSplit {
  std::uint64_t line_shift;   ///< Neighbouring lines of a unit.
  std::uint64_t share_shift;  ///< Work-items that share a leaf.
  std::uint64_t turn_shift;   ///< Shares of a work-item, one after the other.
  std::uint64_t leaves;       ///< Of a line, at most.
  std::uint64_t blocks;
};
struct LineStrips {
  std::uint64_t width;   ///< Lines of a strip.
  std::uint64_t strips;  ///< Of one outer index.
  std::uint64_t leaves;  ///< Of a line, at most.
  std::uint64_t each;    ///< Leaves of a unit; one if strips have several lines.
  std::uint64_t units;
};
struct LineChunks {
  std::uint64_t width;   ///< Lines of a strip, where lines lie side by side.
  std::uint64_t strips;  ///< Of one outer index, where lines lie side by side; else of a line.
  std::uint64_t tiles;   ///< Of a line, at most; none where a unit has whole lines.
  std::uint64_t units;
};
struct LineNodeShare {
  std::uint64_t most;        ///< Nodes of a line.
  std::uint64_t elements;    ///< Of a node.
  std::uint64_t line_shift;  ///< Lines of a group.
  std::uint64_t blocks;
};
struct LineRows {
  std::uint64_t lane_shift;  ///< Lanes of a row that a line has.
  std::uint64_t row_shift;   ///< Rows of a warp that a line has.
  std::uint64_t blocks;
};
struct LineTiles {
  std::uint64_t warp_tile_shift;  ///< Warp tiles of a group that a line has.
  std::uint64_t tiles;            ///< Of a line, at most.
  std::uint64_t lines;            ///< At most.
  std::uint64_t blocks;
};
/// How a call over segments is shared out, and where its lists lie in its scratch, by words.
struct SegmentLists {
  std::uint64_t block_shift;  ///< Segments of a group at once.
  std::uint64_t blocks;
  std::uint64_t control;
  std::uint64_t counted;
  std::uint64_t tasks;
  std::uint64_t capacity;  ///< Tasks that there is room for.
  std::uint64_t trees;
};
struct ColumnTiles {
  std::uint64_t line_shift;  ///< Neighbouring lines of a unit.
  std::uint64_t row_shift;   ///< Rows of a line that a group has at once.
  std::uint64_t tiles;       ///< Of a line, at most.
  std::uint64_t blocks;
};
inline backend::Argument argument(const LinePlaces& places) { return {&places, sizeof places}; }
inline backend::Argument argument(const LineSplit& split) { return {&split, sizeof split}; }
inline backend::Argument argument(const LineStrips& strips) { return {&strips, sizeof strips}; }
inline backend::Argument argument(const LineChunks& chunks) { return {&chunks, sizeof chunks}; }
inline backend::Argument argument(const LineNodeShare& share) { return {&share, sizeof share}; }
inline backend::Argument argument(const LineRows& rows) { return {&rows, sizeof rows}; }
inline backend::Argument argument(const LineTiles& tiles) { return {&tiles, sizeof tiles}; }
inline backend::Argument argument(const ColumnTiles& tiles) { return {&tiles, sizeof tiles}; }
inline backend::Argument argument(const SegmentLists& lists) { return {&lists, sizeof lists}; }
inline backend::Argument argument(const ScanPlaces& places) { return {&places, sizeof places}; }
inline backend::Argument argument(const SelectPlaces& places) { return {&places, sizeof places}; }
inline backend::Argument argument(const ReducePlaces& places) { return {&places, sizeof places}; }

inline backend::Argument argument(const detail::Memory& memory) {
  const bool pointer = memory.kind == detail::HandleKind::pointer;
  return {&memory.handle, sizeof memory.handle,
          pointer ? backend::ArgumentKind::pointer : backend::ArgumentKind::memory,
          memory.identity};
}

/// Arguments of one launch, in the order of the kernel's parameters. It refers to the values.
template <std::size_t Most>
class ArgumentList {
 public:
  template <class T>
  void add(const T& value) {
    list_[size_++] = argument(value);
  }
  void add(const Range& range) {
    add(range.memory);
    add(range.offset);
  }
  // As MORE_OUTPUTS in the kernels.
  void add(const MoreRanges& more) {
    for (const Range& range : more.all()) add(range);
  }
  // As INPUT_PARAMETERS in the kernels.
  void add(const Input& input) {
    add(input.first);
    if (input.misalignment) add(*input.misalignment);
    if (input.second) add(*input.second);
    add(input.more);
  }
  // As COUNT_PARAMETERS, INIT_PARAMETERS, FIRST_PARAMETERS and TOTAL_PARAMETERS in
  // the kernels.
  void add(const Count& count) {
    if (count.memory) add(*count.memory);
    add(count.n);
  }
  void add(const Init& init) {
    if (init.memory) {
      add(*init.memory);
    } else {
      add(init.value);
    }
    if (!init.counted) return;
    add(init.counted->nothing);
    if (init.counted->count) add(*init.counted->count);
  }
  // As SEGMENT_PARAMETERS without the number of segments.
  void add(const CallSegments& segments) {
    add(segments.begins);
    add(segments.ends);
  }
  void add(const std::optional<Range>& range) {
    if (range) add(*range);
  }
  void add(const First& first) {
    if (first.given) add(*first.given);
  }
  void add(const Total& total) {
    if (total.memory) add(*total.memory);
    add(total.first);
  }
  [[nodiscard]] std::span<const backend::Argument> all() const {
    return std::span(list_).first(size_);
  }

 private:
  std::array<backend::Argument, Most> list_{};
  std::size_t size_ = 0;
};

/// Launches a kernel that takes scalars: they follow the other arguments. Throws unsupported where
/// the call has none, as it knows nothing of them.
void launch_with_scalars(const CallQueue& queue, const PlannedKernel& planned, std::uint64_t groups,
                         std::span<const backend::Argument> arguments);

/// Launches `groups` groups with the arguments in the order of the kernel's parameters.
template <class... Arguments>
void launch(const CallQueue& queue, const PlannedKernel& planned, std::uint64_t groups,
            const Arguments&... arguments) {
  constexpr std::size_t most_of_one = 2 * max_inputs + 1;  // Arrays, their offsets, a misalignment.
  ArgumentList<sizeof...(Arguments) * most_of_one> list;
  (list.add(arguments), ...);
  if (planned.scalars.all.empty()) {
    queue.backend.launch(*planned.kernel, groups, planned.group_size, list.all());
  } else {
    launch_with_scalars(queue, planned, groups, list.all());
  }
}

/// The same outside of calls.
template <class... Arguments>
void launch(backend::Queue& queue, const PlannedKernel& planned, std::uint64_t groups,
            const Arguments&... arguments) {
  launch(CallQueue{queue}, planned, groups, arguments...);
}

}  // namespace bifold::core
