// Reductions over a group of which a run enqueues everything.
#pragma once

#include <bifold/group/group_plans.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/group/fold.hpp"
#include "core/group/group_reduce.hpp"
#include "core/group/stream_ranks.hpp"
#include "core/slices/parts.hpp"

namespace bifold::core {

/// Each rank reduces its parts, gets the values of all, and joins them.
class StreamReduction {
 public:
  /// `op` is that of the accumulator's values.
  StreamReduction(StreamTransport& transport, std::vector<std::uint32_t> local,
                  ReductionParts parts, const GroupReduction& asked, Operator op, Type accumulator,
                  const std::optional<Value>& init);

  /// Makes a local rank's kernels and memory, for elements of these types.
  void make(std::size_t local, const Elements& elements);
  /// Everything has been checked.
  void enqueue(const std::vector<Elements>& slices, const std::vector<ErasedView>& results);

 private:
  struct Rank {
    std::vector<std::shared_ptr<const detail::Plan>> parts;
    std::shared_ptr<const detail::Plan> move;  // Of indices.
    DeviceArray unmoved;
    DeviceArray begins;  // Of the parts.
    std::optional<DeviceFold> fold;
    std::shared_ptr<const detail::Plan> round;  // To another result's type.
    DeviceArray unrounded;
  };

  [[nodiscard]] FoldSteps steps() const;
  void reduce_parts(std::size_t local, const Elements& slice);
  void join(std::size_t local, const Elements& slice, const ErasedView& result);

  StreamRanks ranks_;
  ReductionParts parts_;
  const GroupReduction& asked_;
  Operator op_;
  Type accumulator_;
  std::optional<Value> init_;
  std::vector<Rank> made_;
};

}  // namespace bifold::core
