// How an array is split over ranks: who has which units, what travels, and that joining the ranks'
// nodes gives the tree.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/group/distributed.hpp>
#include <bifold/reference/v1.hpp>
#include <numeric>
#include <vector>

#include "core/slices/split.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

using core::Border;
using core::Fronts;
using core::Interval;
using core::Node;
using core::Split;

namespace {

using Counts = std::vector<std::uint64_t>;

// Neither commutes nor is associative: another bracketing gives another number.
std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
  return (left * 0x9e3779b97f4a7c15 + 1) ^ ((right * 0xc2b2ae3d27d4eb4f) >> 7);
}

// The tree over units [begin, end), each of which is its number.
std::uint64_t tree(const Interval& units) {
  std::vector<std::uint64_t> numbers(units.size());
  std::iota(numbers.begin(), numbers.end(), units.begin + 17);
  return reference::v1::tree(numbers, mixed);
}

std::uint64_t joined(const std::vector<Node>& nodes, std::uint64_t units) {
  const std::vector<std::uint32_t> merges = core::merges(nodes);
  std::vector<std::uint64_t> stack;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint64_t begin = nodes[i].index << nodes[i].level;
    stack.push_back(tree({begin, std::min(units, begin + (std::uint64_t{1} << nodes[i].level))}));
    for (std::uint32_t merge = 0; merge < merges[i]; ++merge) {
      const std::uint64_t right = stack.back();
      stack.pop_back();
      stack.back() = mixed(stack.back(), right);
    }
  }
  REQUIRE(stack.size() == 1);
  return stack.front();
}

Counts random_counts(test::Random& random, std::uint64_t unit) {
  Counts counts(1 + random.below(9));
  for (std::uint64_t& count : counts) {
    const std::uint64_t units = random.below(40) * unit;
    switch (random.below(4)) {
      case 0: count = 0; break;
      case 1: count = units; break;
      case 2: count = random.below(unit + 2); break;
      default: count = units + random.below(3 * unit);
    }
  }
  return counts;
}

}  // namespace

TEST_SUITE_BEGIN("group_split");

TEST_CASE("the nodes of all ranks, joined, are the tree, whatever the split") {
  test::Random random(test::seed());
  for (int turn = 0; turn < 3000; ++turn) {
    const std::uint64_t unit = 1 + random.below(5);
    const Split split(random_counts(random, unit), unit, Fronts::of_units);
    if (split.n() == 0) continue;
    CAPTURE(turn);
    const std::uint64_t units = (split.n() + unit - 1) / unit;
    std::vector<Node> nodes;
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      for (const Node& node : split.nodes(rank)) nodes.push_back(node);
    }
    std::uint64_t at = 0;
    for (const Node& node : nodes) {
      REQUIRE(split.elements(node).begin == at);
      at = split.elements(node).end;
    }
    REQUIRE(at == split.n());
    REQUIRE(joined(nodes, units) == tree({0, units}));
  }
}

TEST_CASE("whoever has the end of a unit gets the front of it") {
  test::Random random(test::seed());
  for (int turn = 0; turn < 3000; ++turn) {
    CAPTURE(turn);
    const std::uint64_t unit = 1 + random.below(5);
    for (const Fronts fronts : {Fronts::of_units, Fronts::of_elements}) {
      const Split split(random_counts(random, unit), unit, fronts);
      std::vector<std::uint64_t> got(split.ranks());
      for (const Border& border : split.borders()) {
        REQUIRE(border.from < border.to);
        REQUIRE_FALSE(border.elements.empty());
        const Interval from = split.elements(border.from);
        REQUIRE(border.elements.begin >= from.begin);
        REQUIRE(border.elements.end == from.end);
        // Pieces come from left to right, up to the receiver's own.
        const Interval own = split.elements(border.to);
        REQUIRE(border.elements.begin == own.begin - split.front(border.to) + got[border.to]);
        got[border.to] += border.elements.size();
      }
      for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
        REQUIRE(got[rank] == split.front(rank));
        const Interval own = split.elements(rank);
        if (own.empty()) continue;
        if (fronts == Fronts::of_elements || !split.units(rank).empty()) {
          REQUIRE(split.front(rank) == own.begin % unit);
        }
        REQUIRE(split.head(rank).end <= own.end);
      }
    }
  }
}

TEST_CASE("equal shares of a power of two of units are a node each") {
  const Split split({1 << 14, 1 << 14, 1 << 14, 5}, 1 << 12, Fronts::of_units);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    CHECK(split.nodes(rank) == std::vector<Node>{{rank == 3 ? 0U : 2U, rank == 3 ? 12U : rank}});
  }
  CHECK(split.borders().empty());
}

TEST_CASE("even splits begin with units, and few nodes make up a slice") {
  const ReduceShape sums{.accumulator = Type::f32};
  const ReduceShape counts{.accumulator = Type::u64};
  const ScanShape running{.accumulator = Type::f32};
  CHECK(even_split(10, 3, counts) == Counts{0, 4, 7, 10});
  CHECK(even_split(5000, 3, sums) == Counts{0, 4096, 5000, 5000});
  CHECK(even_split(3 << 18, 2, running) == Counts{0, 2 << 18, 3 << 18});
  CHECK(even_split(0, 2, running) == Counts{0, 0, 0});
  for (const std::uint64_t n : {1'000'000'007ULL, 12'345'678ULL, 1ULL << 33}) {
    for (const std::uint32_t ranks : {1U, 2U, 3U, 7U, 8U}) {
      const Counts offsets = even_split(n, ranks, sums);
      Counts slices;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        slices.push_back(offsets[rank + 1] - offsets[rank]);
        CHECK(slices.back() < n / ranks * 105 / 100 + 4096);
      }
      const Split split(slices, 4096, Fronts::of_units);
      CHECK(split.borders().empty());
      for (std::uint32_t rank = 0; rank < ranks; ++rank) CHECK(split.nodes(rank).size() <= 12);
    }
  }
}

TEST_CASE("more elements than 64 bits count are refused") {
  CHECK_THROWS_AS(Split({~std::uint64_t{0}, 1}, 1, Fronts::of_units), Error);
  CHECK_THROWS_AS(static_cast<void>(even_split(1, 0, ReduceShape{})), Error);
}

TEST_SUITE_END();

}  // namespace bifold
