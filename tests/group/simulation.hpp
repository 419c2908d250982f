// What ranks send each other in a call over a group, counted message by message on one host, for as
// many ranks as no test machine has.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/slices/parts.hpp"
#include "core/slices/split.hpp"

namespace bifold::test {

/// Messages to later ranks, of elements that share a unit with their first one.
struct BorderTraffic {
  std::uint64_t messages = 0;
  std::uint64_t elements = 0;
  std::uint64_t most_received = 0;  ///< Elements, by one rank.
  std::uint64_t most_messages = 0;  ///< Received by one rank.
};

inline BorderTraffic border_traffic(const core::Split& split) {
  std::vector<std::uint64_t> messages(split.ranks());
  std::vector<std::uint64_t> elements(split.ranks());
  BorderTraffic traffic;
  for (const core::Border& border : split.borders()) {
    ++traffic.messages;
    traffic.elements += border.elements.size();
    ++messages[border.to];
    elements[border.to] += border.elements.size();
  }
  traffic.most_messages = *std::max_element(messages.begin(), messages.end());
  traffic.most_received = *std::max_element(elements.begin(), elements.end());
  return traffic;
}

/// An all-gather in which a rank sends, in round k, all that it has to the rank 2^k in front of it.
struct Gathering {
  std::uint32_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t most_received = 0;  ///< Of what each rank gives as one, by one rank.
};

inline Gathering gathering(std::uint32_t ranks) {
  Gathering gathering;
  std::vector<std::uint64_t> known(ranks, 1);  // Of the rank itself and those behind it.
  std::vector<std::uint64_t> received(ranks, 0);
  for (std::uint64_t step = 1; step < ranks; step *= 2) {
    const std::vector<std::uint64_t> before = known;
    ++gathering.rounds;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const std::uint64_t from = (rank + step) % ranks;
      const std::uint64_t news = std::min(before[from], ranks - before[rank]);
      known[rank] += news;
      received[rank] += news;
      ++gathering.messages;
    }
  }
  gathering.most_received = *std::max_element(received.begin(), received.end());
  return gathering;
}

/// The values of a reduction joined in pairs of neighbours, instead of gathered by all ranks.
struct Joining {
  std::uint32_t rounds = 0;
  std::uint64_t most_sent = 0;  ///< Values, by one rank, in one round.
  std::uint64_t joined = 0;     ///< Pairs of values that became one, by all ranks.
  bool to_one = false;          ///< The last list is one node: the tree's root.
};

/// Appends a node, and makes siblings at the end their parent.
inline std::uint64_t append(std::vector<core::Node>& list, const core::Node& node) {
  list.push_back(node);
  std::uint64_t joined = 0;
  while (list.size() > 1) {
    const core::Node right = list.back();
    const core::Node left = list[list.size() - 2];
    if (left.level != right.level || right.index != left.index + 1 || left.index % 2 != 0) break;
    list.pop_back();
    list.back() = {left.level + 1, left.index / 2};
    ++joined;
  }
  return joined;
}

inline Joining joining(const core::Split& split) {
  Joining joining;
  std::vector<std::vector<core::Node>> lists;
  for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
    std::vector<core::Node>& list = lists.emplace_back();
    for (const core::Node& node : split.nodes(rank)) joining.joined += append(list, node);
  }
  while (lists.size() > 1) {
    ++joining.rounds;
    std::vector<std::vector<core::Node>> joined;
    for (std::size_t i = 0; i < lists.size(); i += 2) {
      joined.push_back(std::move(lists[i]));
      if (i + 1 == lists.size()) break;
      joining.most_sent = std::max<std::uint64_t>(joining.most_sent, lists[i + 1].size());
      for (const core::Node& node : lists[i + 1]) joining.joined += append(joined.back(), node);
    }
    lists = std::move(joined);
  }
  // A list that ends with the array is folded from the right.
  joining.joined += lists.front().size() - 1;
  joining.to_one = true;
  for (std::size_t i = 0; i + 1 < lists.front().size(); ++i) {
    // Only the rest that nothing follows is of a lower level.
    joining.to_one = joining.to_one && lists.front()[i].level > lists.front()[i + 1].level;
  }
  return joining;
}

/// Nodes that make up units [begin, end), or all from `begin` on where nothing follows `end`, by
/// the bits of these numbers alone.
inline std::uint64_t node_count(std::uint64_t begin, std::uint64_t end, bool last) {
  if (begin >= end) return 0;
  const std::uint64_t half = std::bit_floor(begin ^ end);
  const std::uint64_t middle = end / half * half;
  if (last && begin % half == 0) return 1;
  const auto left = static_cast<std::uint64_t>(std::popcount(middle - begin));
  const auto right = static_cast<std::uint64_t>(std::popcount(end - middle));
  return left + (last ? std::min<std::uint64_t>(right, 1) : right);
}

}  // namespace bifold::test
