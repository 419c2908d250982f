// Reductions over a group.
#pragma once

#include <bifold/group/distributed.hpp>
#include <cstddef>
#include <optional>
#include <vector>

namespace bifold::core {

/// What is reduced how, the same on every rank.
struct GroupReduction {
  Type result;
  const Operator& op;
  std::optional<Value> init{};
  const Map& map;
  Order order = Order::v1;
  std::optional<Value> of_nothing{};      ///< Instead of init, or of Operator::of_nothing().
  std::optional<std::size_t> index_at{};  ///< Of a u64 in the result, which the map made of i.
};

/// As the public calls say.
Value reduce_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked);

}  // namespace bifold::core
