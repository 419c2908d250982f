// Reductions over a group.
#pragma once

#include <bifold/group/distributed.hpp>
#include <bifold/group/stream_transport.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/group/group_work.hpp"

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
  std::optional<Type> accumulator{};      ///< Not accumulator_of() the result.
};

class StreamReduction;

/// A reduction that ranks have agreed on.
struct PlannedReduction {
  Agreement agreed;
  std::unique_ptr<StreamReduction> stream;  ///< Over a StreamTransport.

  PlannedReduction();
  PlannedReduction(const PlannedReduction&) = delete;
  PlannedReduction& operator=(const PlannedReduction&) = delete;
  ~PlannedReduction();
};

/// As the public calls say.
Value reduce_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked);

/// Agrees on slices without memory. `asked` outlives what it leaves in `planned`.
void plan_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               PlannedReduction& planned);
/// Runs it: to the host, into `results` if they are given, or both.
Value run_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               const PlannedReduction& planned, const std::vector<ErasedView>* results);
/// Enqueues it.
void enqueue_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
                  PlannedReduction& planned, const std::vector<ErasedView>& results);

}  // namespace bifold::core
