// Combinations of factors in which every possible pair of their levels meets.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace bifold::test {

/// One level per factor.
using Combination = std::vector<std::size_t>;
using Legal = std::function<bool(const Combination&)>;

/// A short list of legal combinations such that every pair of levels of two factors that occurs in
/// any legal combination occurs in the list. `levels` holds the number of levels per factor.
std::vector<Combination> pairwise(std::span<const std::size_t> levels, const Legal& legal);

/// Pairs that legal combinations have and `list` has not; 0 for what pairwise() gives.
std::size_t uncovered_pairs(std::span<const std::size_t> levels, const Legal& legal,
                            std::span<const Combination> list);

}  // namespace bifold::test
