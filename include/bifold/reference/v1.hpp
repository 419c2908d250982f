/// @file
/// Order v1 in plain sequential C++: the bits that every device gives. The compiler must not
/// contract a * b + c (GCC and Clang: -ffp-contract=off), nor reorder (no -ffast-math).
#pragma once

#include <algorithm>
#include <bifold/order.hpp>
#include <bifold/reference.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Order v1.
namespace bifold::reference::v1 {

/// @addtogroup oracle
/// @{

/// A leaf: column c is the left fold of the elements c, c + columns, c + 2 columns, ...; then the
/// columns fold by halving: c with c + columns / 2, and so on. What does not exist is skipped.
template <class Acc, class In, class Lift, class Combine>
Acc leaf(std::span<const In> elements, std::size_t columns, Lift lift, Combine combine) {
  std::vector<Acc> sums;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Acc x = lift(elements[i]);
    if (i < columns) {
      sums.push_back(x);
    } else {
      sums[i % columns] = combine(sums[i % columns], x);
    }
  }
  for (std::size_t width = columns / 2; width > 0; width /= 2) {
    for (std::size_t c = 0; c < width && c + width < sums.size(); ++c) {
      sums[c] = combine(sums[c], sums[c + width]);
    }
  }
  return sums.front();
}

/// A perfect binary tree over neighbours: node i of a level combines the nodes 2i and 2i + 1 of the
/// level below, or is the first of them where the second does not exist.
template <class Acc, class Combine>
Acc tree(std::vector<Acc> nodes, Combine combine) {
  while (nodes.size() > 1) {
    std::vector<Acc> above;
    for (std::size_t i = 0; i < nodes.size(); i += 2) {
      above.push_back(i + 1 < nodes.size() ? combine(nodes[i], nodes[i + 1]) : nodes[i]);
    }
    nodes = std::move(above);
  }
  return nodes.front();
}

/// The reduction of at least one element by a commutative operator: the tree over the leaves.
/// lift(x) makes an element an accumulator and combine(earlier, later) joins two of them.
template <class Acc, class In, class Lift, class Combine>
Acc reduce(std::span<const In> input, Lift lift, Combine combine) {
  const std::size_t elements = order_v1::leaf_elements(type_of<Acc>());
  const std::size_t columns = order_v1::leaf_columns(type_of<Acc>());
  std::vector<Acc> leaves;
  for (std::size_t begin = 0; begin < input.size(); begin += elements) {
    const std::size_t count = (std::min)(elements, input.size() - begin);
    leaves.push_back(leaf<Acc>(input.subspan(begin, count), columns, lift, combine));
  }
  return tree(std::move(leaves), combine);
}

/// The same with an initial value in front; of no elements, it is the result.
template <class Acc, class In, class Lift, class Combine>
Acc reduce(std::span<const In> input, Acc init, Lift lift, Combine combine) {
  return input.empty() ? init : combine(init, reduce<Acc>(input, lift, combine));
}

/// The total of the elements of a tile, at least one, in index order: runs folded from left to
/// right, the tree over the runs of a row, the rows of a warp tile and the warp tiles folded from
/// left to right. What does not exist is skipped.
template <class Acc, class In, class Lift, class Combine>
Acc tile(std::span<const In> elements, Lift lift, Combine combine) {
  const auto fold = [&](const std::vector<Acc>& parts) {
    return std::accumulate(parts.begin() + 1, parts.end(), parts.front(), combine);
  };
  std::vector<Acc> warp_tiles;
  std::vector<Acc> rows;
  std::vector<Acc> runs;
  std::vector<Acc> run;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool last = i + 1 == elements.size();
    run.push_back(lift(elements[i]));
    if (run.size() < order_v1::scan_run(sizeof(Acc)) && !last) continue;
    runs.push_back(fold(std::exchange(run, {})));
    if (runs.size() < order_v1::scan_row_runs && !last) continue;
    rows.push_back(tree(std::exchange(runs, {}), combine));
    if (rows.size() < order_v1::scan_warp_tile_rows && !last) continue;
    warp_tiles.push_back(fold(std::exchange(rows, {})));
  }
  return fold(warp_tiles);
}

/// The reduction of at least one element by an operator that need not commute: the tree over the
/// tiles.
template <class Acc, class In, class Lift, class Combine>
Acc reduce_in_order(std::span<const In> input, Lift lift, Combine combine) {
  constexpr std::size_t elements = order_v1::scan_tile(sizeof(Acc));
  std::vector<Acc> tiles;
  for (std::size_t begin = 0; begin < input.size(); begin += elements) {
    const std::size_t count = (std::min)(elements, input.size() - begin);
    tiles.push_back(tile<Acc>(input.subspan(begin, count), lift, combine));
  }
  return tree(std::move(tiles), combine);
}

/// The same with an initial value in front; of no elements, it is the result.
template <class Acc, class In, class Lift, class Combine>
Acc reduce_in_order(std::span<const In> input, Acc init, Lift lift, Combine combine) {
  return input.empty() ? init : combine(init, reduce_in_order<Acc>(input, lift, combine));
}

/// The last value of the Kogge-Stone prefix of at least one value: in steps of 1, 2, 4, ... each
/// value is combined with the one that lies a step before it, if any.
template <class Acc, class Combine>
constexpr Acc last_prefix(std::vector<Acc> values, Combine combine) {
  for (std::size_t step = 1; step < values.size(); step *= 2) {
    // From the last value on down, so that the values a step before are still those of this step.
    for (std::size_t i = values.size() - 1; i >= step; --i) {
      values[i] = combine(values[i - step], values[i]);
    }
  }
  return values.back();
}

/// All elements so far, combined in order v1: a scan that takes one element after another.
/// `Combine` is a callable of (earlier, later).
template <class Acc, class Combine>
class RunningScan {
 public:
  /// `init` is the carry before the first element; the operator's identity stands for none.
  constexpr RunningScan(Acc init, Combine combine)
      : combine_(std::move(combine)), groups_(std::move(init)) {}

  /// Without an initial value, nothing lies before the first element, and an operator needs no
  /// identity.
  constexpr explicit RunningScan(Combine combine) : combine_(std::move(combine)) {}

  /// What lies before the next element: the initial value and, from left to right, the prefixes of
  /// its tile in its group, of its warp tile, its row, its run, and of the element in the run. A
  /// prefix of nothing is skipped; without an initial value there is at least one element.
  constexpr Acc value() const {
    std::optional<Acc> sum;
    for (const auto& part : {groups_, tiles_, warp_tiles_, rows_, runs_, elements_}) {
      if (part) fold(sum, *part);
    }
    return *sum;
  }

  /// Takes the next element, and closes the run, row, warp tile, tile and group that it completes.
  constexpr void append(Acc x) {
    constexpr std::uint64_t tile_elements = order_v1::scan_tile(sizeof(Acc));
    const Acc run = fold(elements_, x);
    if (++count_ % order_v1::scan_run(sizeof(Acc)) != 0) return;
    elements_.reset();
    run_totals_.push_back(run);
    const Acc row = last_prefix(run_totals_, combine_);
    runs_ = row;
    if (run_totals_.size() < order_v1::scan_row_runs) return;
    run_totals_.clear();
    runs_.reset();
    const Acc warp_tile = fold(rows_, row);
    if (count_ % (tile_elements / order_v1::scan_warp_tiles) != 0) return;
    rows_.reset();
    const Acc tile = fold(warp_tiles_, warp_tile);
    if (count_ % tile_elements != 0) return;
    warp_tiles_.reset();
    tile_totals_.push_back(tile);
    const Acc group = last_prefix(tile_totals_, combine_);
    tiles_ = group;
    if (tile_totals_.size() < order_v1::scan_group_tiles) return;
    tile_totals_.clear();
    tiles_.reset();
    fold(groups_, group);
  }

 private:
  // Folds x into a total that may be absent.
  constexpr Acc fold(std::optional<Acc>& total, const Acc& x) const {
    total = total ? combine_(*total, x) : x;
    return *total;
  }

  Combine combine_;
  std::uint64_t count_ = 0;
  std::vector<Acc> run_totals_;    // Of the row so far.
  std::vector<Acc> tile_totals_;   // Of the group so far.
  std::optional<Acc> groups_;      // The initial value and the complete groups,
  std::optional<Acc> tiles_;       // the complete tiles of the group,
  std::optional<Acc> warp_tiles_;  // the complete warp tiles of the tile,
  std::optional<Acc> rows_;        // the complete rows of the warp tile,
  std::optional<Acc> runs_;        // the complete runs of the row,
  std::optional<Acc> elements_;    // and the elements of the run.
};

/// The scan of `input` into `output`, of the same length, with `init` as the carry before the first
/// element: lift(x) makes an element an accumulator and combine(earlier, later) joins two of them.
/// In place is allowed.
template <class Out, class Acc, class In, class Lift, class Combine>
constexpr void scan(ScanKind kind, std::span<const In> input, std::span<Out> output, Acc init,
                    Lift lift, Combine combine) {
  RunningScan<Acc, Combine> running(init, combine);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const Acc x = lift(input[i]);
    if (kind == ScanKind::exclusive) output[i] = static_cast<Out>(running.value());
    running.append(x);
    if (kind == ScanKind::inclusive) output[i] = static_cast<Out>(running.value());
  }
}

/// reduce() for a built-in operator.
template <builtin_element Acc, builtin_element In>
Acc reduce(OperatorKind op, std::span<const In> input, Acc init) {
  return reduce(
      input, lift<Acc>(op, init), [op](In x) { return lift<Acc>(op, x); },
      [op](Acc a, Acc b) { return combine(op, a, b); });
}

/// The same without an initial value: of no elements, of_nothing().
template <builtin_element Acc, builtin_element In>
Acc reduce(OperatorKind op, std::span<const In> input) {
  if (input.empty()) return of_nothing<Acc>(op);
  return reduce<Acc>(
      input, [op](In x) { return lift<Acc>(op, x); },
      [op](Acc a, Acc b) { return combine(op, a, b); });
}

/// scan() for a built-in operator.
template <builtin_element Acc, builtin_element In, builtin_element Out>
constexpr void scan(ScanKind kind, OperatorKind op, std::span<const In> input,
                    std::span<Out> output, Acc init) {
  scan(
      kind, input, output, lift<Acc>(op, init), [op](In x) { return lift<Acc>(op, x); },
      [op](Acc a, Acc b) { return combine(op, a, b); });
}

/// The same without an initial value: the first value of an exclusive scan is of_nothing().
template <builtin_element Acc, builtin_element In, builtin_element Out>
constexpr void scan(ScanKind kind, OperatorKind op, std::span<const In> input,
                    std::span<Out> output) {
  const auto combine_two = [op](Acc a, Acc b) { return combine(op, a, b); };
  RunningScan<Acc, decltype(combine_two)> running(combine_two);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const Acc before = i == 0 ? of_nothing<Acc>(op) : running.value();
    running.append(lift<Acc>(op, input[i]));
    output[i] = static_cast<Out>(kind == ScanKind::exclusive ? before : running.value());
  }
}

/// @}

}  // namespace bifold::reference::v1
