#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/lines.hpp>
#include <string>
#include <vector>

namespace bifold {

namespace {

struct Dimension {
  std::uint64_t count = 1;
  std::int64_t stride = 0;
};

// Appends a dimension that varies faster than all before, merged with the last one if both are as
// one. Dimensions of one element are left out. Of an array without elements, all are merged.
void append(std::vector<Dimension>& list, const Dimension& next, bool none) {
  if (next.count == 1) return;
  // Modulo 2^64: no memory is as long.
  const std::uint64_t past_all = next.count * static_cast<std::uint64_t>(next.stride);
  if (!list.empty() && (none || static_cast<std::uint64_t>(list.back().stride) == past_all)) {
    if (next.count != 0 && list.back().count > ~std::uint64_t{0} / next.count) {
      throw Error(ErrorCategory::invalid_argument,
                  "Lines::fold: the array has more elements than 64 bits count");
    }
    list.back() = {list.back().count * next.count, next.stride};
    return;
  }
  list.push_back(next);
}

}  // namespace

std::optional<Lines> Lines::fold(std::span<const std::uint64_t> shape,
                                 std::span<const std::int64_t> strides,
                                 std::span<const std::size_t> axes) try {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCategory::invalid_argument, "Lines::fold: " + why);
  };
  if (shape.size() != strides.size()) refuse("as many strides as dimensions are needed");
  std::vector<bool> along(shape.size(), false);
  for (const std::size_t axis : axes) {
    if (axis >= shape.size()) refuse("axis " + std::to_string(axis) + " is out of range");
    if (along[axis]) refuse("axis " + std::to_string(axis) + " is named twice");
    along[axis] = true;
  }
  std::vector<Dimension> line;
  std::vector<Dimension> others;
  const bool none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    append(along[i] ? line : others, {shape[i], strides[i]}, none);
  }
  if (line.size() > 1 || others.size() > 2) return {};
  Lines lines;
  lines.length = line.empty() ? 1 : line[0].count;
  if (!line.empty()) lines.stride = line[0].stride;
  if (!others.empty()) {
    lines.inner = others.back().count;
    lines.inner_stride = others.back().stride;
  }
  if (others.size() == 2) {
    lines.outer = others[0].count;
    lines.outer_stride = others[0].stride;
  }
  return lines;
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
