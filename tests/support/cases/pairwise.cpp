#include "pairwise.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace bifold::test {

namespace {

/// Every legal combination, in counting order.
std::vector<Combination> legal_product(std::span<const std::size_t> levels, const Legal& legal) {
  std::vector<Combination> product;
  Combination at(levels.size(), 0);
  if (std::find(levels.begin(), levels.end(), std::size_t{0}) != levels.end()) return product;
  for (;;) {
    if (legal(at)) product.push_back(at);
    std::size_t factor = 0;
    while (factor < at.size() && ++at[factor] == levels[factor]) at[factor++] = 0;
    if (factor == at.size()) return product;
  }
}

/// Numbers the pairs: levels get running numbers over all factors, a pair is (first, second).
class Pairs {
 public:
  explicit Pairs(std::span<const std::size_t> levels) {
    for (const std::size_t count : levels) {
      starts_.push_back(total_);
      total_ += count;
    }
    missing_.resize(total_ * total_, 0);
  }

  template <class Body>
  void each(const Combination& combination, Body body) {
    for (std::size_t i = 0; i < combination.size(); ++i) {
      for (std::size_t j = i + 1; j < combination.size(); ++j) {
        body(missing_[(starts_[i] + combination[i]) * total_ + starts_[j] + combination[j]]);
      }
    }
  }

  std::size_t gain(const Combination& combination) {
    std::size_t count = 0;
    each(combination, [&](char missing) { count += missing != 0; });
    return count;
  }

  std::size_t missing() const {
    return static_cast<std::size_t>(std::count(missing_.begin(), missing_.end(), 1));
  }

 private:
  std::vector<std::size_t> starts_;
  std::size_t total_ = 0;
  std::vector<char> missing_;
};

}  // namespace

std::vector<Combination> pairwise(std::span<const std::size_t> levels, const Legal& legal) {
  const std::vector<Combination> product = legal_product(levels, legal);
  Pairs pairs(levels);
  for (const Combination& combination : product) {
    pairs.each(combination, [](char& missing) { missing = 1; });
  }
  std::vector<Combination> list;
  // Greedy: the best of the product each time. A gain only shrinks, so the first combination that
  // reaches the previous best is as good as any.
  std::size_t best_possible = levels.size() * (levels.size() - 1) / 2;
  std::size_t from = 0;
  while (best_possible > 0) {
    std::size_t best = 0;
    std::size_t best_index = 0;
    for (std::size_t step = 0; step < product.size() && best < best_possible; ++step) {
      // Starting behind the last choice spreads the levels of the slowest factor.
      const std::size_t index = (from + step) % product.size();
      const std::size_t gain = pairs.gain(product[index]);
      if (gain > best) {
        best = gain;
        best_index = index;
      }
    }
    if (best == 0) break;
    best_possible = best;
    list.push_back(product[best_index]);
    pairs.each(product[best_index], [](char& missing) { missing = 0; });
    from = best_index + 1;
  }
  return list;
}

std::size_t uncovered_pairs(std::span<const std::size_t> levels, const Legal& legal,
                            std::span<const Combination> list) {
  // Written without the table of pairwise(), as it is what checks it.
  using Level = std::pair<std::size_t, std::size_t>;
  std::set<std::pair<Level, Level>> missing;
  const auto visit = [](const Combination& combination, auto body) {
    for (std::size_t i = 0; i < combination.size(); ++i) {
      for (std::size_t j = i + 1; j < combination.size(); ++j) {
        body(std::pair(Level(i, combination[i]), Level(j, combination[j])));
      }
    }
  };
  for (const Combination& combination : legal_product(levels, legal)) {
    visit(combination, [&](const auto& pair) { missing.insert(pair); });
  }
  for (const Combination& combination : list) {
    visit(combination, [&](const auto& pair) { missing.erase(pair); });
  }
  return missing.size();
}

}  // namespace bifold::test
