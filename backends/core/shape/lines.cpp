#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/lines.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bifold {

namespace {

using Strides = std::vector<std::int64_t>;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "lines of an array: " + why);
}

// Along one index of all arrays.
struct Dimension {
  std::uint64_t count = 1;
  Strides strides;  // Of each array.
};

// Of an array's shape: the dimensions of a line, and those that number the lines.
struct Dimensions {
  std::vector<Dimension> line;
  std::vector<Dimension> others;
};

// Whether steps along the second dimension lead from each element of the first to its next one.
// Modulo 2^64: no memory is as long.
bool are_one(const Dimension& outer, const Dimension& inner) {
  return std::equal(outer.strides.begin(), outer.strides.end(), inner.strides.begin(),
                    [&](std::int64_t a, std::int64_t b) {
                      return static_cast<std::uint64_t>(a) ==
                             inner.count * static_cast<std::uint64_t>(b);
                    });
}

// Appends a dimension that varies faster than all before, merged with the last one if both are as
// one. Dimensions of one element are left out. Of an array without elements, all are merged.
void append(std::vector<Dimension>& list, Dimension next, bool none) {
  if (next.count == 1) return;
  if (!list.empty() && (none || are_one(list.back(), next))) {
    if (next.count != 0 && list.back().count > ~std::uint64_t{0} / next.count) {
      refuse("it has more elements than 64 bits count");
    }
    next.count *= list.back().count;
    list.back() = std::move(next);
    return;
  }
  list.push_back(std::move(next));
}

Dimensions merged(std::span<const std::uint64_t> shape, std::span<const Strides> strides,
                  std::span<const std::size_t> axes) {
  for (const Strides& of_one : strides) {
    if (of_one.size() != shape.size()) refuse("as many strides as dimensions are needed");
  }
  std::vector<bool> along(shape.size(), false);
  for (const std::size_t axis : axes) {
    if (axis >= shape.size()) refuse("axis " + std::to_string(axis) + " is out of range");
    if (along[axis]) refuse("axis " + std::to_string(axis) + " is named twice");
    along[axis] = true;
  }
  Dimensions all;
  const bool none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Dimension next{shape[i], {}};
    for (const Strides& of_one : strides) next.strides.push_back(of_one[i]);
    append(along[i] ? all.line : all.others, std::move(next), none);
  }
  return all;
}

std::vector<const Dimension*> pointers_to(const std::vector<Dimension>& dimensions) {
  std::vector<const Dimension*> all(dimensions.size());
  std::transform(dimensions.begin(), dimensions.end(), all.begin(),
                 [](const Dimension& dimension) { return &dimension; });
  return all;
}

// The lines of one of the arrays that lie along up to two of the dimensions.
Lines lines_along(const std::vector<Dimension>& line, std::span<const Dimension* const> others,
                  std::size_t array) {
  Lines lines;
  lines.length = line.empty() ? 1 : line[0].count;
  if (!line.empty()) lines.stride = line[0].strides[array];
  if (!others.empty()) {
    lines.inner = others.back()->count;
    lines.inner_stride = others.back()->strides[array];
  }
  if (others.size() == 2) {
    lines.outer = others[0]->count;
    lines.outer_stride = others[0]->strides[array];
  }
  return lines;
}

// Elements from the lowest one to that of the index, along one dimension.
std::uint64_t above_lowest(const Dimension& dimension, std::size_t array, std::uint64_t index) {
  const std::int64_t stride = dimension.strides[array];
  const std::uint64_t steps = stride < 0 ? dimension.count - 1 - index : index;
  const auto bits = static_cast<std::uint64_t>(stride);
  return steps * (stride < 0 ? ~bits + 1 : bits);
}

}  // namespace

std::optional<Lines> Lines::fold(std::span<const std::uint64_t> shape,
                                 std::span<const std::int64_t> strides,
                                 std::span<const std::size_t> axes) try {
  const Strides of_one(strides.begin(), strides.end());
  const auto [line, others] = merged(shape, std::span(&of_one, 1), axes);
  if (line.size() > 1 || others.size() > 2) return {};
  return lines_along(line, pointers_to(others), 0);
} catch (...) {
  detail::rethrow();
}

std::vector<std::vector<PlacedLines>> fold_lines(std::span<const std::uint64_t> shape,
                                                 std::span<const Strides> strides,
                                                 std::span<const std::size_t> axes) try {
  const auto [line, others] = merged(shape, strides, axes);
  if (line.size() > 1) return {};
  // The two longest dimensions are the call's, in the order in which they vary.
  std::vector<const Dimension*> kept = pointers_to(others);
  std::vector<const Dimension*> looped;
  while (kept.size() > 2) {
    const auto shortest = std::min_element(
        kept.begin(), kept.end(), [](const auto* a, const auto* b) { return a->count < b->count; });
    looped.push_back(*shortest);
    kept.erase(shortest);
  }
  std::vector<std::vector<PlacedLines>> calls(1);
  for (std::size_t array = 0; array < strides.size(); ++array) {
    calls[0].push_back({0, lines_along(line, kept, array)});
  }
  for (const Dimension* dimension : looped) {
    std::vector<std::vector<PlacedLines>> all;
    for (const std::vector<PlacedLines>& call : calls) {
      for (std::uint64_t index = 0; index < dimension->count; ++index) {
        all.push_back(call);
        for (std::size_t array = 0; array < strides.size(); ++array) {
          all.back()[array].offset += above_lowest(*dimension, array, index);
        }
      }
    }
    calls = std::move(all);
  }
  return calls;
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
