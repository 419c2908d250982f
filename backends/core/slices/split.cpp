#include "core/slices/split.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bit>

namespace bifold::core {

namespace {

// Whether any association gives the same, so that a unit is one element.
bool any_association(const Operator& op, Type accumulator, Order order) {
  return order == Order::any || op.exact(accumulator);
}

}  // namespace

std::uint64_t unit_of_reduction(const Operator& op, Type accumulator, Order order) {
  if (any_association(op, accumulator, order)) return 1;
  return op.commutative() ? order_v1::leaf_elements(accumulator)
                          : order_v1::scan_tile(size_of(accumulator));
}

std::uint64_t unit_of_scan(const Operator& op, Type accumulator, Order order) {
  if (any_association(op, accumulator, order)) return 1;
  return std::uint64_t{order_v1::scan_tile(size_of(accumulator))} * order_v1::scan_group_tiles;
}

Split::Split(const std::vector<std::uint64_t>& counts, std::uint64_t unit, Fronts fronts)
    : unit_(unit), fronts_(fronts) {
  offsets_.reserve(counts.size() + 1);
  offsets_.push_back(0);
  for (const std::uint64_t count : counts) {
    if (count > ~offsets_.back()) {
      throw Error(ErrorCategory::invalid_argument,
                  "the slices have more elements than 64 bits count");
    }
    offsets_.push_back(offsets_.back() + count);
  }
  for (std::uint32_t to = 0; to < ranks(); ++to) {
    const std::uint64_t end = offsets_[to];
    const std::uint64_t begin = end - front(to);
    if (begin == end) continue;
    const auto first = std::upper_bound(offsets_.begin(), offsets_.end(), begin) - 1;
    for (auto from = static_cast<std::uint32_t>(first - offsets_.begin()); from < to; ++from) {
      const Interval part{std::max(begin, offsets_[from]), offsets_[from + 1]};
      if (!part.empty()) borders_.push_back({from, to, part});
    }
  }
}

std::uint32_t Split::ranks() const noexcept {
  return static_cast<std::uint32_t>(offsets_.size() - 1);
}

Interval Split::elements(std::uint32_t rank) const { return {offsets_[rank], offsets_[rank + 1]}; }

Interval Split::whole_units(std::uint32_t rank) const {
  const Interval own = elements(rank);
  return own.empty() ? Interval{} : Interval{own.begin / unit_, own.end / unit_};
}

Interval Split::units(std::uint32_t rank) const {
  Interval units = whole_units(rank);
  const Interval own = elements(rank);
  if (!own.empty() && own.end == n() && n() % unit_ != 0) ++units.end;
  return units;
}

std::uint64_t Split::front(std::uint32_t rank) const {
  const Interval own = elements(rank);
  const bool wanted = fronts_ == Fronts::of_units ? !units(rank).empty() : !own.empty();
  return wanted ? own.begin % unit_ : 0;
}

Interval Split::head(std::uint32_t rank) const {
  const Interval own = elements(rank);
  const std::uint64_t before = front(rank);
  if (before == 0) return {own.begin, own.begin};
  return {own.begin, own.begin + std::min(own.size(), unit_ - before)};
}

std::vector<Node> Split::nodes(std::uint32_t rank) const {
  std::vector<Node> nodes;
  const Interval own = units(rank);
  std::uint64_t at = own.begin;
  if (!own.empty() && front(rank) > 0) nodes.push_back({0, at++});
  while (at < own.end) {
    // The largest node that begins here and has no unit of a later rank. Beyond the last unit,
    // nothing exists.
    const std::uint64_t left = own.end - at;
    std::uint32_t level = at == 0 ? 63 : static_cast<std::uint32_t>(std::countr_zero(at));
    const auto fits = static_cast<std::uint32_t>(is_last(rank) ? std::bit_width(left - 1)
                                                               : std::bit_width(left) - 1);
    level = std::min(level, fits);
    nodes.push_back({level, at >> level});
    const std::uint64_t taken = std::uint64_t{1} << level;
    at = taken < left ? at + taken : own.end;
  }
  return nodes;
}

Interval Split::elements(const Node& node) const {
  const std::uint64_t begin = (node.index << node.level) * unit_;
  const std::uint64_t all = (n() - begin - 1) / unit_ + 1;  // Units from there on.
  const std::uint64_t wanted = std::uint64_t{1} << node.level;
  return {begin, wanted < all ? begin + wanted * unit_ : n()};
}

std::vector<std::uint32_t> merges(const std::vector<Node>& nodes) {
  std::vector<std::uint32_t> behind;
  std::vector<Node> stack;
  for (const Node& node : nodes) {
    stack.push_back(node);
    std::uint32_t count = 0;
    while (stack.size() > 1) {
      const Node right = stack.back();
      const Node left = stack[stack.size() - 2];
      if (left.level != right.level || right.index % 2 == 0 || left.index + 1 != right.index) break;
      stack.pop_back();
      stack.back() = {left.level + 1, left.index / 2};
      ++count;
    }
    behind.push_back(count);
  }
  if (!behind.empty()) behind.back() += static_cast<std::uint32_t>(stack.size() - 1);
  return behind;
}

std::vector<std::uint64_t> even_offsets(std::uint64_t n, std::uint32_t ranks, std::uint64_t unit) {
  if (ranks == 0) throw Error(ErrorCategory::invalid_argument, "a group has at least one rank");
  const std::uint64_t units = n / unit + (n % unit != 0 ? 1 : 0);
  std::vector<std::uint64_t> offsets;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t first = units / ranks * rank + std::min<std::uint64_t>(rank, units % ranks);
    offsets.push_back(first < units ? first * unit : n);
  }
  offsets.push_back(n);
  return offsets;
}

}  // namespace bifold::core
