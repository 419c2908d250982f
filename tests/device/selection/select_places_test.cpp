// Selections of arrays that begin and end anywhere, into places that do: what a row stores as
// vectors, or lines, has ends.

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <vector>

#include "device/selection/selections.hpp"
#include "support/environment.hpp"

namespace select_places_test {

// Three words, which may lie where words do.
struct Point {
  float x, y, z;
  friend bool operator==(const Point&, const Point&) = default;
};
// A word that lies where halves of one do.
struct Pair {
  std::int16_t key, value;
  friend bool operator==(const Pair&, const Pair&) = default;
};

}  // namespace select_places_test
BIFOLD_STRUCT_NAMED(select_places_test::Point, SelectPoint, x, y, z);
BIFOLD_STRUCT_NAMED(select_places_test::Pair, SelectPair, key, value);

namespace bifold {

namespace {

using select_places_test::Pair;
using select_places_test::Point;
using test::Places;
using test::uploaded;

struct Texts {
  const char* predicate;
  const char* equality;
};

// Numbers that repeat, in runs of three on average.
std::vector<std::int8_t> numbers_in_runs(std::size_t n) {
  auto numbers = test::numbers<std::int8_t>(n, 11);
  for (std::size_t i = 1; i < n; ++i) {
    if (numbers[i] % 3 != 0) numbers[i] = numbers[i - 1];
  }
  return numbers;
}

template <class T>
T made(std::int8_t number) {
  return static_cast<T>(number);
}
template <>
Point made<Point>(std::int8_t number) {
  return {static_cast<float>(number), 1, static_cast<float>(-number)};
}
template <>
Pair made<Pair>(std::int8_t number) {
  return {number, static_cast<std::int16_t>(2 * number)};
}

template <class T>
void check_places(const Texts& texts) {
  if (!test::device().supports(type_of<T>())) return;
  CAPTURE(name_of(type_of<T>()));
  // More than two tiles of every row.
  constexpr std::size_t n = 65'000;
  Queue queue(test::device());
  const auto numbers = numbers_in_runs(n + 40);
  std::vector<T> host;
  std::vector<std::uint8_t> marks;
  for (const std::int8_t number : numbers) {
    host.push_back(made<T>(number));
    marks.push_back(number > 50 ? 1 : 0);
  }
  const auto data = uploaded(queue, host);
  const auto flags = uploaded(queue, marks);
  auto kept = queue.allocate<std::uint32_t>(1);
  for (const auto* row : test::selecting_rows()) {
    if (row->name == "production" ||
        !test::takes(*row, {type_of<T>(), type_of<T>(), Type::u32, texts.predicate})) {
      continue;
    }
    CAPTURE(row->name);
    for (const std::size_t first : {1UL, 37UL}) {
      CAPTURE(first);
      const std::size_t count = n - 5 * first;
      const auto from = data.view(first, count);
      std::vector<T> front;
      std::vector<T> behind;
      std::vector<T> firsts;
      for (std::size_t i = first; i < first + count; ++i) {
        (numbers[i] > 50 ? front : behind).push_back(host[i]);
        if (i == first || numbers[i] != numbers[i - 1]) firsts.push_back(host[i]);
      }
      // The places before the first one, and behind the last, stay what they are.
      const auto check = [&](std::vector<T> want, const auto& call) {
        Places<T> out(queue, n + 64, made<T>(7));
        want.insert(want.begin(), first + 1, made<T>(7));
        call(out.buffer.view(first + 1, count));
        out.check(queue, want);
      };
      const SelectOptions options{.variant = row->name};
      check(front, [&](auto out) { select(queue, from, out, kept, texts.predicate, options); });
      CHECK(queue.download(kept)[0] == front.size());
      check(firsts, [&](auto out) { unique(queue, from, out, kept, texts.equality, options); });
      CHECK(queue.download(kept)[0] == firsts.size());
      check(front, [&](auto out) {
        select_flagged(queue, from, flags.view(first, count), out, kept, options);
      });
      std::vector<T> all = front;
      all.insert(all.end(), behind.rbegin(), behind.rend());
      check(all, [&](auto out) {
        partition_reversed(queue, from, out, kept, texts.predicate, options);
      });
    }
  }
}

TEST_SUITE_BEGIN("select_places");

TEST_CASE("elements of 1, 2 and 4 bytes that begin anywhere") {
  check_places<std::uint8_t>({"x > 50", "x == y"});
  check_places<std::int16_t>({"x > 50", "x == y"});
  check_places<float>({"x > 50", "x == y"});
}

TEST_CASE("wider elements, and structs of three words and of halves of one") {
  check_places<double>({"x > 50", "x == y"});
  check_places<Point>({"x.x > 50", "x.x == y.x"});
  check_places<Pair>({"x.key > 50", "x.key == y.key"});
}

TEST_SUITE_END();

}  // namespace

}  // namespace bifold
