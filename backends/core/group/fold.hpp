// Values of several ranks made one.
#pragma once

#include <bifold/op.hpp>
#include <bifold/queue.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/group/call_records.hpp"
#include "core/plan/plan.hpp"
#include "core/slices/device_array.hpp"

namespace bifold::core {

/// What a fold does with values in memory. Of value i, which lies at places[i], see fold().
struct FoldSteps {
  std::vector<std::uint64_t> places;  ///< The first one anywhere, then ascending from 0 on.
  std::vector<std::uint32_t> merges;
  std::vector<std::uint64_t> wanted;
};

/// The same fold again and again, by a device, of values in its memory.
class DeviceFold {
 public:
  /// Compiles. Throws unsupported where the device's loops are too short.
  DeviceFold(const Queue& queue, const Operator& op, Type accumulator, const FoldSteps& steps);
  DeviceFold(const Queue& queue, PlannedKernel kernel, const FoldSteps& steps);

  /// Enqueues. Writes to `results` as many as are wanted, and uses up values, but no first one that
  /// lies behind all others.
  void enqueue(const Queue& queue, const DeviceArray& values, const ErasedView& results) const;

 private:
  PlannedKernel kernel_;
  std::uint64_t count_;
  DeviceArray steps_;
};

/// The kernel by which a device folds values of an operator, and its last fold.
struct FoldKernel {
  Device device;
  Operator op;
  Type accumulator;
  PlannedKernel kernel;
  std::vector<std::uint32_t> merges;
  std::vector<std::uint64_t> wanted;
  std::optional<DeviceFold> fold;
  DeviceArray stack;
};

/// Adds what a fold takes of its queue's memory for as many results.
void add_fold(MemoryNeeds& needs, const Operator& op, Type accumulator, std::size_t wanted);

/// Puts value after value onto a stack. Behind value i, the two topmost become one merges[i] times.
/// Leaves in `records` the top behind each of the values that it names as wanted, ascending.
/// Its values are of the accumulator's type, one behind the other. Built-in operators are computed
/// by the host, with the bits of a device, others on the queue's device, for which it blocks;
/// `known` keeps its kernels.
void fold(std::vector<FoldKernel>& known, const Queue& queue, CallMemory& memory,
          const Operator& op, Type accumulator, std::span<const std::uint32_t> merges,
          FoldRecords& records);

}  // namespace bifold::core
