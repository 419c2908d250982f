// The generator of combinations keeps its promise: every possible pair is covered.
#include "support/cases/pairwise.hpp"

#include <doctest/doctest.h>

namespace bifold {

using test::Combination;
using test::pairwise;
using test::uncovered_pairs;

TEST_SUITE_BEGIN("pairwise");

TEST_CASE("all pairs of levels meet") {
  const std::size_t levels[] = {12, 10, 9, 2, 5};
  const auto everything = [](const Combination&) { return true; };
  const auto list = pairwise(levels, everything);
  CHECK(uncovered_pairs(levels, everything, list) == 0);
  // No fewer than the largest two factors need, and far from the product of 10800.
  CHECK(list.size() >= 120);
  CHECK(list.size() < 240);
}

TEST_CASE("illegal combinations stay out, and what can be covered without them is") {
  const std::size_t levels[] = {6, 10, 9, 4};
  const auto legal = [](const Combination& c) {
    return (c[1] < 8 || c[2] < 4 || c[2] > 6) && (c[0] != 2 || c[3] != 0);
  };
  const auto list = pairwise(levels, legal);
  for (const Combination& combination : list) CHECK(legal(combination));
  CHECK(uncovered_pairs(levels, legal, list) == 0);
}

TEST_CASE("a missing combination is noticed") {
  const std::size_t levels[] = {3, 3};
  const auto everything = [](const Combination&) { return true; };
  auto list = pairwise(levels, everything);
  REQUIRE(list.size() == 9);
  list.pop_back();
  CHECK(uncovered_pairs(levels, everything, list) == 1);
}

TEST_CASE("no legal combination is an empty list") {
  const std::size_t levels[] = {3, 4};
  CHECK(pairwise(levels, [](const Combination&) { return false; }).empty());
  const std::size_t none[] = {3, 0};
  CHECK(pairwise(none, [](const Combination&) { return true; }).empty());
}

TEST_SUITE_END();

}  // namespace bifold
