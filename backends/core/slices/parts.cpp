#include "core/slices/parts.hpp"

#include <algorithm>
#include <utility>

namespace bifold::core {

ReductionParts::ReductionParts(Split split, bool one_total)
    : split_(std::move(split)), parts_(split_.ranks()) {
  std::vector<Node> all;
  for (std::uint32_t rank = 0; rank < split_.ranks(); ++rank) {
    std::vector<Interval>& own = parts_[rank];
    if (!one_total) {
      const std::vector<Node> nodes = split_.nodes(rank);
      for (const Node& node : nodes) own.push_back(split_.elements(node));
      all.insert(all.end(), nodes.begin(), nodes.end());
    } else if (!split_.elements(rank).empty()) {
      own.push_back(split_.elements(rank));
      merges_.push_back(merges_.empty() ? 0 : 1);
    }
    most_ = std::max(most_, own.size());
  }
  if (!one_total) merges_ = core::merges(all);
  merges_with_init_.push_back(0);
  merges_with_init_.insert(merges_with_init_.end(), merges_.begin(), merges_.end());
  if (merges_.empty()) return;
  // It comes in front of the first total, or of the tree's root.
  ++(one_total ? merges_with_init_[1] : merges_with_init_.back());
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
