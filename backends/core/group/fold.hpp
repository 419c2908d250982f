// Values of several ranks made one.
#pragma once

#include <bifold/op.hpp>
#include <bifold/queue.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/plan.hpp"

namespace bifold::core {

/// The kernel by which a device folds values of an operator.
struct FoldKernel {
  Device device;
  Operator op;
  Type accumulator;
  PlannedKernel kernel;
};

/// The kernel of an operator on values of that type.
PlannedKernel build_fold(const Device& device, const Operator& op, Type accumulator);

/// Puts value after value onto a stack. Behind value i, the two topmost become one merges[i] times.
/// Returns the top behind each of the values that `wanted` names, ascending. `values` are of the
/// accumulator's type, one behind the other. Built-in operators are computed by the host, with the
/// bits of a device, others on the queue's device, for which it blocks; `known` keeps its kernels.
std::vector<Value> fold(std::vector<FoldKernel>& known, const Queue& queue, const Operator& op,
                        Type accumulator, std::span<const std::byte> values,
                        std::span<const std::uint32_t> merges,
                        std::span<const std::uint64_t> wanted);

}  // namespace bifold::core
