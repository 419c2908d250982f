#include "core/base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"

namespace bifold::core {
namespace {

/// Nobody mistypes more.
constexpr std::size_t longest = 64;

/// Letters to change until `a` is `b`: the optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;  // The last two and the one being filled.
  for (auto& row : rows) row.resize(b.size() + 1);
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& last = rows[(i + 2) % 3];
    const auto& before = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view typed, std::span<const std::string_view> words) {
  if (typed.empty() || typed.size() > longest) return {};
  const std::string meant = lowered(typed);
  std::string_view best;
  std::size_t fewest = longest;
  for (const std::string_view word : words) {
    if (word.size() > longest) continue;
    const std::string known = lowered(word);
    const std::size_t most =
        std::clamp<std::size_t>(std::min(known.size(), meant.size()) / 2, 1, 3);
    std::size_t changes = distance(meant, known);
    if (changes > most && meant.size() > 1 && known.starts_with(meant)) changes = most;
    if (changes > most || changes >= fewest) continue;
    fewest = changes;
    best = word;
  }
  return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> words) {
  const std::string_view word = nearest(typed, words);
  return word.empty() ? std::string() : formatted("; did you mean \"{}\"?", word);
}

}  // namespace bifold::core
