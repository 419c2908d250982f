#include "core/group/parts.hpp"

#include <algorithm>
#include <utility>

namespace bifold::core {

ReductionParts::ReductionParts(Split split, bool one_total)
    : split_(std::move(split)), one_total_(one_total), parts_(split_.ranks()) {
  for (std::uint32_t rank = 0; rank < split_.ranks(); ++rank) {
    if (!one_total) {
      for (const Node& node : split_.nodes(rank)) parts_[rank].push_back(split_.elements(node));
    } else if (!split_.elements(rank).empty()) {
      parts_[rank].push_back(split_.elements(rank));
    }
    most_ = std::max(most_, parts_[rank].size());
  }
}

std::vector<std::uint32_t> ReductionParts::merges(bool with_init) const {
  std::vector<std::uint32_t> merges;
  if (one_total_) {
    std::size_t count = with_init ? 1 : 0;
    for (const auto& own : parts_) count += own.size();
    merges.assign(count, 1);
    if (count > 0) merges.front() = 0;
    return merges;
  }
  std::vector<Node> nodes;
  for (std::uint32_t rank = 0; rank < split_.ranks(); ++rank) {
    const std::vector<Node> own = split_.nodes(rank);
    nodes.insert(nodes.end(), own.begin(), own.end());
  }
  merges = core::merges(nodes);
  if (with_init) {
    if (!merges.empty()) ++merges.back();
    merges.insert(merges.begin(), 0);
  }
  return merges;
}

ScanTotals::ScanTotals(Split split, bool one_total, bool with_init, bool with_total)
    : split_(std::move(split)),
      one_total_(one_total),
      with_total_(with_total),
      before_{with_init ? std::uint64_t{1} : 0} {
  for (std::uint32_t rank = 0; rank < split_.ranks(); ++rank) {
    const bool empty = split_.elements(rank).empty();
    // What ends the last slice counts for nobody, but for the total and for the slice's own rest.
    const bool last = split_.is_last(rank);
    std::uint64_t count = 0;
    if (empty) {
      count = 0;
    } else if (one_total) {
      count = last && !with_total ? 0 : 1;
    } else if (!last) {
      count = split_.whole_units(rank).size();
    } else {
      count = !split_.head(rank).empty() && has_rest(rank) ? 1 : 0;
    }
    counts_.push_back(count);
    before_.push_back(before_.back() + count);
    most_ = std::max(most_, count);
    if (!empty) last_ = rank;
  }
}

bool ScanTotals::has_rest(std::uint32_t rank) const {
  return split_.head(rank).end < split_.elements(rank).end;
}

std::uint64_t ScanTotals::before_rest(std::uint32_t rank) const {
  return before_[rank] + (split_.head(rank).empty() ? 0 : 1);
}

bool ScanTotals::leaves_total(std::uint32_t rank) const {
  return with_total_ && !one_total_ && rank == last_ && !split_.elements(rank).empty();
}

}  // namespace bifold::core
