// Lines::fold() and fold_lines() against the places of all elements, index by index.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/lines.hpp>
#include <cstdint>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

using test::failure_of;

namespace {

struct Array {
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
  std::vector<std::size_t> axes;

  [[nodiscard]] bool has(std::size_t axis) const {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
};

std::string text_of(const Array& array) {
  std::ostringstream text;
  text << "shape";
  for (const auto size : array.shape) text << ' ' << size;
  text << ", strides";
  for (const auto stride : array.strides) text << ' ' << stride;
  text << ", axes";
  for (const auto axis : array.axes) text << ' ' << axis;
  return text.str();
}

/// Where the elements lie of the dimensions that are axes, or of the others, as C counts them.
std::vector<std::int64_t> places(const Array& array, bool of_axes) {
  std::vector<std::int64_t> all{0};
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    if (array.has(d) != of_axes) continue;
    std::vector<std::int64_t> next;
    for (const std::int64_t place : all) {
      for (std::uint64_t i = 0; i < array.shape[d]; ++i) {
        next.push_back(place + static_cast<std::int64_t>(i) * array.strides[d]);
      }
    }
    all = std::move(next);
  }
  return all;
}

/// Whether the places are those of so many steps of a stride each, of which `many` make another.
bool are_two_strides(const std::vector<std::int64_t>& places, std::uint64_t many) {
  const std::int64_t inner = many > 1 ? places[1] : 0;
  const std::int64_t outer = many < places.size() ? places[many] : 0;
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    const auto o = static_cast<std::int64_t>(i / many);
    const auto k = static_cast<std::int64_t>(i % many);
    if (places[i] != o * outer + k * inner) return false;
  }
  return true;
}

/// Whether there are lines at all of these places.
bool can_fold(const std::vector<std::int64_t>& lines, const std::vector<std::int64_t>& elements) {
  if (lines.empty() || elements.empty()) return true;
  if (!are_two_strides(elements, elements.size())) return false;
  for (std::uint64_t many = 1; many <= lines.size(); ++many) {
    if (lines.size() % many == 0 && are_two_strides(lines, many)) return true;
  }
  return false;
}

void check(const Array& array) {
  const std::vector<std::int64_t> starts = places(array, false);
  const std::vector<std::int64_t> elements = places(array, true);
  const auto lines = Lines::fold(array.shape, array.strides, array.axes);
  CHECK_MESSAGE(lines.has_value() == can_fold(starts, elements), text_of(array));
  if (!lines) return;
  CHECK_MESSAGE(lines->count() == starts.size(), text_of(array));
  CHECK_MESSAGE(lines->length == elements.size(), text_of(array));
  bool right = true;
  for (std::uint64_t line = 0; line < lines->count(); ++line) {
    const auto outer = static_cast<std::int64_t>(line / lines->inner);
    const auto inner = static_cast<std::int64_t>(line % lines->inner);
    for (std::uint64_t k = 0; k < lines->length; ++k) {
      right &= outer * lines->outer_stride + static_cast<std::int64_t>(k) * lines->stride +
                   inner * lines->inner_stride ==
               starts[line] + elements[k];
    }
  }
  CHECK_MESSAGE(right, text_of(array));
}

/// The calls for arrays of one shape, against the places of all elements of all lines.
void check_calls(const Array& array, const std::vector<std::vector<std::int64_t>>& strides) {
  const auto calls = fold_lines(array.shape, strides, array.axes);
  std::vector<std::vector<std::vector<std::int64_t>>> wanted(strides.size());
  bool one_stride = true;
  for (std::size_t number = 0; number < strides.size(); ++number) {
    const Array one{array.shape, strides[number], array.axes};
    const std::vector<std::int64_t> elements = places(one, true);
    one_stride &= elements.empty() || are_two_strides(elements, elements.size());
    for (const std::int64_t start : places(one, false)) {
      wanted[number].emplace_back();
      for (const std::int64_t element : elements) wanted[number].back().push_back(start + element);
    }
  }
  const bool none = std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
  CHECK_MESSAGE(calls.empty() == (!one_stride && !none), text_of(array));
  if (calls.empty() || none) return;
  // Each call's lines, from the lowest element on, by what the first array has there.
  std::vector<std::vector<std::vector<std::int64_t>>> got(strides.size());
  for (const auto& call : calls) {
    REQUIRE(call.size() == strides.size());
    for (std::size_t number = 0; number < strides.size(); ++number) {
      const auto& [offset, lines] = call[number];
      std::int64_t lowest_of_array = 0;
      for (std::size_t d = 0; d < array.shape.size(); ++d) {
        const auto reach = static_cast<std::int64_t>(array.shape[d] - 1) * strides[number][d];
        lowest_of_array += std::min<std::int64_t>(0, reach);
      }
      std::int64_t first = lowest_of_array + static_cast<std::int64_t>(offset);
      for (const auto& [count, stride] :
           {std::pair(lines.outer, lines.outer_stride), std::pair(lines.length, lines.stride),
            std::pair(lines.inner, lines.inner_stride)}) {
        first -= std::min<std::int64_t>(0, static_cast<std::int64_t>(count - 1) * stride);
      }
      for (std::uint64_t line = 0; line < lines.count(); ++line) {
        got[number].emplace_back();
        for (std::uint64_t k = 0; k < lines.length; ++k) {
          got[number].back().push_back(
              first + static_cast<std::int64_t>(line / lines.inner) * lines.outer_stride +
              static_cast<std::int64_t>(k) * lines.stride +
              static_cast<std::int64_t>(line % lines.inner) * lines.inner_stride);
        }
      }
    }
  }
  // A line of one array belongs to one line of each other, in whatever order they come.
  const auto pairs = [](const auto& of_arrays) {
    std::vector<std::vector<std::vector<std::int64_t>>> all;
    for (std::size_t line = 0; line < of_arrays[0].size(); ++line) {
      all.emplace_back();
      for (const auto& lines : of_arrays) all.back().push_back(lines.at(line));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  CHECK_MESSAGE(pairs(got) == pairs(wanted), text_of(array));
  const bool one_call = Lines::fold(array.shape, strides[0], array.axes).has_value();
  if (strides.size() == 1) CHECK_MESSAGE((calls.size() == 1) == one_call, text_of(array));
}

/// An array that lies as a part of a dense one of dimensions in another order, backwards along
/// some, and repeated along others.
Array draw(test::Random& random) {
  Array array;
  const std::size_t dimensions = random.below(6);
  std::vector<std::size_t> order(dimensions);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});  // From the fastest on.
  if (random.one_in(2)) {
    for (std::size_t i = dimensions; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  array.shape.resize(dimensions);
  array.strides.resize(dimensions);
  const bool backwards = random.one_in(4);
  std::int64_t next = random.one_in(5) ? 3 : 1;
  for (const std::size_t d : order) {
    array.shape[d] = random.one_in(12) ? 0 : 1 + random.below(4);
    array.strides[d] = backwards || random.one_in(10) ? -next : next;
    if (random.one_in(8)) array.strides[d] = 0;
    next *= static_cast<std::int64_t>(std::max<std::uint64_t>(1, array.shape[d]));
    if (random.one_in(6)) next += 2;
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (random.one_in(3)) array.axes.push_back(d);
  }
  return array;
}

}  // namespace

TEST_SUITE_BEGIN("lines");

TEST_CASE("rows, columns and values") {
  CHECK(Lines::rows(3, 5) == Lines{3, 5, 1, 5, 1, 0});
  CHECK(Lines::columns(3, 5) == Lines{1, 3, 5, 0, 5, 1});
  CHECK(Lines::values(7) == Lines{1, 1, 7, 0, 1, 1});
  CHECK(Lines::rows(3, 5).count() == 3);
  CHECK(Lines::columns(3, 5).count() == 5);
  CHECK(Lines{3, 5, 7, 0, 0, 0}.count() == 21);
}

TEST_CASE("every axis of dense arrays") {
  const std::vector<std::uint64_t> shape{2, 3, 4, 5};
  const std::vector<std::int64_t> strides{60, 20, 5, 1};
  for (std::size_t first = 0; first < 4; ++first) {
    check({shape, strides, {first}});
    // Neighbouring axes are one, others are none.
    for (std::size_t last = first + 1; last < 4; ++last) {
      std::vector<std::size_t> axes(last - first + 1);
      std::iota(axes.begin(), axes.end(), first);
      check({shape, strides, axes});
      if (last > first + 1) CHECK_FALSE(Lines::fold(shape, strides, std::vector{first, last}));
    }
  }
  check({shape, strides, {}});
  check({{}, {}, {}});
}

TEST_CASE("arrays that lie otherwise") {
  test::Random random(test::seed());
  for (int i = 0; i < 20'000; ++i) check(draw(random));
}

TEST_CASE("what no single call serves is several, of all arrays alike") {
  test::Random random(test::seed());
  for (int i = 0; i < 10'000; ++i) {
    const Array array = draw(random);
    check_calls(array, {array.strides});
    Array other = array;
    for (auto& stride : other.strides) {
      stride = random.one_in(3) ? -stride : stride + (random.one_in(3) ? 60 : 0);
    }
    check_calls(array, {array.strides, other.strides});
  }
}

TEST_CASE("a call for each index of the shortest dimension") {
  const std::vector<std::uint64_t> shape{9, 4, 7, 8};
  const std::vector<std::int64_t> strides{4000, -800, 90, 2};
  // Results side by side, without a place along the axis.
  const std::vector<std::vector<std::int64_t>> all{strides, {28, 7, 1, 0}};
  const std::size_t axis = 3;
  const auto calls = fold_lines(shape, all, std::span(&axis, 1));
  REQUIRE(calls.size() == 4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(calls[i][0].offset == (3 - i) * 800);
    CHECK(calls[i][0].lines == Lines{9, 8, 7, 4000, 2, 90});
    CHECK(calls[i][1].offset == 7 * i);
    CHECK(calls[i][1].lines.firsts() == Lines{9, 1, 7, 28, 1, 1});
  }
  const std::vector<std::size_t> apart{0, 2};
  CHECK(fold_lines(shape, all, apart).empty());
}

TEST_CASE("in which order axes are named does not matter") {
  const std::vector<std::uint64_t> shape{2, 3, 4};
  const std::vector<std::int64_t> strides{12, 4, 1};
  using Axes = std::vector<std::size_t>;
  CHECK(Lines::fold(shape, strides, Axes{2, 1}) == Lines::fold(shape, strides, Axes{1, 2}));
}

TEST_CASE("what is no axis, and what does not belong together") {
  const std::vector<std::uint64_t> shape{2, 3, 4};
  const std::vector<std::int64_t> strides{12, 4, 1};
  using Axes = std::vector<std::size_t>;
  const auto refused = [](const auto& sizes, const auto& steps, const Axes& axes) {
    const auto failure = failure_of([&] { (void)Lines::fold(sizes, steps, axes); });
    CHECK_MESSAGE(failure.category == ErrorCategory::invalid_argument, failure.what);
  };
  refused(shape, strides, {3});
  refused(shape, strides, {1, 1});
  refused(shape, strides, {0, 1, 0});
  refused(shape, std::vector<std::int64_t>{4, 1}, {0});
  refused(std::vector<std::uint64_t>{}, std::vector<std::int64_t>{}, {0});
  const std::vector<std::vector<std::int64_t>> all{strides, {4, 1}};
  const auto failure = failure_of([&] { (void)fold_lines(shape, all, Axes{0}); });
  CHECK_MESSAGE(failure.category == ErrorCategory::invalid_argument, failure.what);
}

TEST_CASE("products that 64 bits do not hold") {
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  const std::vector<std::uint64_t> shape{huge, huge};
  const std::vector<std::int64_t> strides{0, 0};
  for (const auto& axes : {std::vector<std::size_t>{}, std::vector<std::size_t>{0, 1}}) {
    const auto failure = failure_of([&] { (void)Lines::fold(shape, strides, axes); });
    CHECK_MESSAGE(failure.category == ErrorCategory::invalid_argument, failure.what);
  }
}

TEST_CASE("sizes of more than 32 bits") {
  constexpr std::uint64_t many = std::uint64_t{1} << 33;
  const std::vector<std::uint64_t> shape{2, many, 3};
  const auto far = static_cast<std::int64_t>(3 * many);
  const std::vector<std::int64_t> strides{far, 3, 1};
  const std::size_t axis = 1;
  const Lines lines = Lines::fold(shape, strides, std::span(&axis, 1)).value();
  CHECK(lines.length == many);
  CHECK(lines.count() == 6);
  CHECK(lines.stride == 3);
  const std::vector<std::size_t> front{0, 1};
  CHECK(Lines::fold(shape, strides, front).value().length == 2 * many);
}

TEST_SUITE_END();

}  // namespace bifold
