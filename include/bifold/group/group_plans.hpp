/// @file
/// Plans over a group: the ranks agree once on what is asked, on how the array is split, and make
/// their kernels ready; runs then exchange values alone.
///
/// Over a StreamTransport a run enqueues everything, waits for nothing and can be captured in a
/// CUDA graph. Over any other transport it blocks until the ranks have exchanged values.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/group/distributed.hpp>
#include <bifold/group/group.hpp>
#include <bifold/map.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/reductions.hpp>
#include <bifold/scan.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace bifold {

/// @addtogroup groups
/// @{

namespace detail {
struct GroupReduction;
struct GroupScan;
}  // namespace detail

/// What one rank of this process brings to all runs of a plan.
struct Share {
  Queue queue;          ///< On which runs work.
  std::uint64_t count;  ///< The rank's elements.
};

/// A reduction over a group made ready. A value handle; copies are the same plan, which one thread
/// runs at a time. All ranks run it equally often, and in one order with the group's other calls.
/// It owns memory on the ranks' devices, where runs leave what they exchange: it outlives graphs
/// that hold a run, of which one at a time is at work.
class BIFOLD_API_CLASS GroupReducePlan {
 public:
  /// Blocks until all ranks have made the plan. `shares` are those of the local ranks. Throws the
  /// same on every rank: invalid_argument where ranks differ, errors of ReducePlan, unsupported for
  /// a map that names i, `timeout`. The shape has no lines, segments, keys, result map and values
  /// in device memory.
  GroupReducePlan(Group& group, const ReduceShape& shape, const std::vector<Share>& shares,
                  const std::optional<Value>& init = {});
  /// The plan of argmin(), whose result is an Indexed, for elements of that type.
  static GroupReducePlan argmin(Group& group, Type element, const std::vector<Share>& shares);
  /// The plan of argmax().
  static GroupReducePlan argmax(Group& group, Type element, const std::vector<Share>& shares);
  /// The plan of minmax(), whose result is a MinMax.
  static GroupReducePlan minmax(Group& group, Type element, const std::vector<Share>& shares);
  /// The plan of count_if(), whose result is a u64.
  static GroupReducePlan count_if(Group& group, Type element, const Map& predicate,
                                  const std::vector<Share>& shares);
  /// The plan of reduce_many(), whose result is one struct with a field for each reduction, of its
  /// accumulator: of the type `result`, or of one that the library makes.
  static GroupReducePlan reduce_many(Group& group, Type element,
                                     const std::vector<Reduction>& reductions,
                                     const std::vector<Share>& shares,
                                     const std::optional<Type>& result = {});

  /// Reduces the slices into one element of the result's type in each local rank's memory. Slices
  /// are of the plan's queues, counts and types. Over a StreamTransport what is wrong with them is
  /// an error on this rank alone, and nothing is enqueued; a failure in enqueueing ends the group.
  void run(const std::vector<Slice>& slices, const std::vector<ErasedView>& results);
  /// Blocks, and returns the result, by the group's deadline.
  [[nodiscard]] Value run(const std::vector<Slice>& slices);
  /// Blocks until the work of the plan's queues is done, by the group's deadline. Past it throws
  /// `timeout`, and the group is out of use. After a failed run it waits, too, and then throws.
  void finish();

 private:
  explicit GroupReducePlan(std::shared_ptr<detail::GroupReduction> plan);
  [[nodiscard]] detail::GroupReduction& plan() const;
  std::shared_ptr<detail::GroupReduction> plan_;
};

/// A scan over a group made ready; see GroupReducePlan.
class BIFOLD_API_CLASS GroupScanPlan {
 public:
  /// As GroupReducePlan's. Runs bring a total where `on_device.total` of the shape says so.
  GroupScanPlan(Group& group, const ScanShape& shape, const std::vector<Share>& shares,
                const std::optional<Value>& init = {});

  /// Scans the slices into their outputs. See GroupReducePlan::run.
  void run(const std::vector<ScanSlice>& slices);
  /// As GroupReducePlan::finish().
  void finish();

 private:
  [[nodiscard]] detail::GroupScan& plan() const;
  std::shared_ptr<detail::GroupScan> plan_;
};

/// @}

}  // namespace bifold
