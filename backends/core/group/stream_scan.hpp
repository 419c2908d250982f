// Scans over a group of which a run enqueues everything.
#pragma once

#include <bifold/group/distributed.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/group/fold.hpp"
#include "core/group/stream_ranks.hpp"
#include "core/plan/plan.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/slices/parts.hpp"

namespace bifold::core {

/// Each rank totals its groups, gets the totals of all, folds what comes before it, and scans.
class StreamScan {
 public:
  /// `shape` is that of a rank's scan without an initial value. `one_total`: each rank gives one,
  /// as any association gives the same.
  StreamScan(StreamTransport& transport, std::vector<std::uint32_t> local, ScanTotals totals,
             PlanShape shape, bool one_total, bool with_total, const std::optional<Value>& init);

  /// Makes a local rank's kernels and memory.
  void make(std::size_t local, const Elements& elements);
  /// Everything has been checked.
  void enqueue(const std::vector<ScanSlice>& slices);

 private:
  using PlanPointer = std::shared_ptr<const detail::Plan>;
  /// A scan of a rank's elements, and what it begins with.
  struct Part {
    PlanPointer plan;
    std::optional<Value> init;            // Known, or
    std::optional<std::uint64_t> folded;  // that one.
  };
  struct Rank {
    PlanPointer shared;  // Total of the first group, whose front others have; of all elements.
    PlanPointer groups;
    std::optional<Lines> lines;
    Part head;
    Part rest;
    DeviceArray head_output;
    std::optional<DeviceFold> fold;
    DeviceArray folded;
    std::optional<std::uint64_t> whole;  // Which of these is the total of all.
  };

  void total(std::size_t local, const Elements& slice);
  void scan(std::size_t local, const ScanSlice& slice);
  void leave_totals(const std::vector<ScanSlice>& slices, const std::vector<Elements>& elements);
  [[nodiscard]] std::uint64_t head_size(std::uint32_t rank) const;
  [[nodiscard]] std::uint64_t rest_size(std::uint32_t rank) const;
  void run(const Part& part, std::size_t local, Queue queue, const ErasedView& input,
           const ErasedView& output, const std::optional<ErasedView>& total);

  StreamRanks ranks_;
  ScanTotals totals_;
  PlanShape shape_;
  bool one_total_;
  bool with_total_;
  std::optional<Value> init_;
  std::vector<Rank> made_;
  // Where the last rank's scan leaves the total, and where all ranks get it.
  bool sends_total_;
  std::vector<DeviceArray> last_total_;
  std::vector<DeviceArray> all_totals_;
};

}  // namespace bifold::core
