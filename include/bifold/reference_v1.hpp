/// @file
/// Order v1 in plain sequential C++: the bits that every device gives. The compiler must not
/// contract a * b + c (GCC and Clang: -ffp-contract=off), nor reorder (no -ffast-math).
#pragma once

#include <algorithm>
#include <bifold/order.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Order v1.
namespace bifold::reference::v1 {

/// @addtogroup oracle
/// @{

/// A leaf: column c is the left fold of the elements c, c + columns, c + 2 columns, ...; then the
/// columns fold by halving: c with c + columns / 2, and so on. What does not exist is skipped.
template <class Acc, class In, class Lift, class Combine>
Acc leaf(std::span<const In> elements, std::size_t columns, Lift lift, Combine combine) {
  std::vector<std::optional<Acc>> sums(columns);
  const auto add = [&](std::optional<Acc>& sum, const Acc& later) {
    sum = sum ? combine(*sum, later) : later;
  };
  for (std::size_t i = 0; i < elements.size(); ++i) add(sums[i % columns], lift(elements[i]));
  for (std::size_t width = columns / 2; width > 0; width /= 2) {
    for (std::size_t c = 0; c < width; ++c) {
      if (sums[c + width]) add(sums[c], *sums[c + width]);
    }
  }
  return *sums.front();
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

/// The reduction of a commutative operator: init combined with the tree over the leaves. lift(x)
/// makes an element an accumulator and combine(earlier, later) joins two of them.
template <class Acc, class In, class Lift, class Combine>
Acc reduce(std::span<const In> input, Acc init, Lift lift, Combine combine) {
  if (input.empty()) return init;
  const std::size_t elements = order_v1::leaf_elements(type_of<Acc>());
  const std::size_t columns = order_v1::leaf_columns(type_of<Acc>());
  std::vector<Acc> leaves;
  for (std::size_t begin = 0; begin < input.size(); begin += elements) {
    const std::size_t count = std::min(elements, input.size() - begin);
    leaves.push_back(leaf<Acc>(input.subspan(begin, count), columns, lift, combine));
  }
  return combine(init, tree(std::move(leaves), combine));
}

/// @}

}  // namespace bifold::reference::v1
