/// @file
/// Reductions and scans of one array whose slices lie with the ranks of a group. In order v1 the
/// bits are those of one device's call on the whole array, whatever the split, the devices and the
/// transport. docs/distributed.md says what is sent.
///
/// All of them block until the ranks have exchanged what they need. Every rank gets the same result
/// or the same Error: invalid_argument where the ranks' calls differ, the failure of the first rank
/// that has one, `timeout` where one does not come. Work enqueued on a queue before is waited for.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/group/group.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/reductions.hpp>
#include <bifold/scan.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bifold {

/// @addtogroup groups
/// @{

/// What one rank has of an array that is reduced: any number of elements, none included.
struct Slice {
  Queue queue;                         ///< Of the rank's device.
  ErasedView input;                    ///< The rank's elements.
  std::optional<ErasedView> second{};  ///< As many of a second array, where the map names y.
};

/// What one rank has of an array that is scanned.
struct ScanSlice {
  Queue queue;                        ///< Of the rank's device.
  ErasedView input;                   ///< The rank's elements.
  ErasedView output;                  ///< As many; may be the input.
  std::optional<ErasedView> total{};  ///< One element of the accumulator's type: of all ranks.
};

/// Everything about a call over a group that has a default. Ranks give the same.
struct DistributedOptions {
  Order order = Order::v1;           ///< What calls keep to.
  std::optional<Type> accumulate{};  ///< A scan's alone, not accumulator_of() the output's.
};

/// Where to split `n` elements into as even slices as need no exchange of elements: ranks + 1
/// offsets from 0 to n. Slice r begins at offset r. `shape` tells operator, accumulator and order.
/// Throws invalid_argument for no ranks.
BIFOLD_API std::vector<std::uint64_t> even_split(std::uint64_t n, std::uint32_t ranks,
                                                 const ReduceShape& shape);
/// The same for a scan.
BIFOLD_API std::vector<std::uint64_t> even_split(std::uint64_t n, std::uint32_t ranks,
                                                 const ScanShape& shape);

/// Blocks, and returns op(init, reduction of map(x), or map(x, y), over the slices of all ranks) as
/// a `result`, accumulated as transform_reduce_into() does. `slices` are those of the local ranks.
/// Throws unsupported for a map that names i, unless the group has one rank. Other errors as of
/// ReducePlan and ReducePlan::run, and as said above.
BIFOLD_API Value transform_reduce(Group& group, const std::vector<Slice>& slices, Type result,
                                  const Operator& op, const std::optional<Value>& init,
                                  const Map& map, const DistributedOptions& options = {});

/// The same without a map, in init's type.
BIFOLD_API Value reduce(Group& group, const std::vector<Slice>& slices, const Operator& op,
                        const Value& init, const DistributedOptions& options = {});

/// Blocks, and returns the least element and its index in the whole array: argmin().
BIFOLD_API Value argmin(Group& group, const std::vector<Slice>& slices,
                        const DistributedOptions& options = {});
/// Blocks, and returns the greatest element and its index in the whole array: argmax().
BIFOLD_API Value argmax(Group& group, const std::vector<Slice>& slices,
                        const DistributedOptions& options = {});
/// Blocks, and returns the least and the greatest element: minmax().
BIFOLD_API Value minmax(Group& group, const std::vector<Slice>& slices,
                        const DistributedOptions& options = {});
/// Blocks, and returns the number of elements for which the expression is not 0: count_if().
BIFOLD_API std::uint64_t count_if(Group& group, const std::vector<Slice>& slices,
                                  const Map& predicate, const DistributedOptions& options = {});
/// Blocks, and returns several reductions' results: reduce_many(). Slices have no second array.
BIFOLD_API std::vector<Value> reduce_many(Group& group, const std::vector<Slice>& slices,
                                          const std::vector<Reduction>& reductions,
                                          const DistributedOptions& options = {});

/// Scans the slices of all ranks into their outputs, each with map(x) instead of its elements x.
/// Blocks until the ranks have exchanged totals, then enqueues; with a total until that is known.
/// `slices` are those of the local ranks; all ranks give a total or none. Throws unsupported for a
/// map that names i, unless the group has one rank. Other errors as of ScanPlan and ScanPlan::run,
/// and as said above; a failure in enqueueing the scan itself is the rank's own.
BIFOLD_API void transform_scan(Group& group, ScanKind kind, const std::vector<ScanSlice>& slices,
                               const Operator& op, const std::optional<Value>& init, const Map& map,
                               const DistributedOptions& options = {});

/// The same without a map.
BIFOLD_API void scan(Group& group, ScanKind kind, const std::vector<ScanSlice>& slices,
                     const Operator& op, const std::optional<Value>& init = {},
                     const DistributedOptions& options = {});

/// Blocks, and returns op(init, reduction of the slices of all ranks), of which this process has
/// `mine`, accumulated in the type of `init`.
template <device_range R, element T, operator_on<T> Op>
[[nodiscard]] T reduce(Queue& queue, Group& group, R&& mine, Op op, T init,
                       const DistributedOptions& options = {}) {
  return reduce(group, {Slice{queue, erase(mine)}}, Operator(op), Value(init), options)
      .template as<T>();
}

/// Blocks, and returns the reduction of the slices of all ranks in the elements' type.
template <device_range R, operator_on<range_value_t<R>> Op>
[[nodiscard]] range_value_t<R> reduce(Queue& queue, Group& group, R&& mine, Op op,
                                      const DistributedOptions& options = {}) {
  using T = range_value_t<R>;
  return transform_reduce(group, {Slice{queue, erase(mine)}}, type_of<T>(), Operator(op), {}, {},
                          options)
      .template as<T>();
}

/// Blocks, and returns op(init, reduction of map(x) over the slices of all ranks).
template <device_range R, element T, operator_on<T> Op>
[[nodiscard]] T transform_reduce(Queue& queue, Group& group, R&& mine, Op op, T init,
                                 const Map& map, const DistributedOptions& options = {}) {
  return transform_reduce(group, {Slice{queue, erase(mine)}}, type_of<T>(), Operator(op),
                          Value(init), map, options)
      .template as<T>();
}

/// Blocks, and returns op(init, reduction of slices), one after the other, each on the device of
/// its queue: reduce({{q0, a}, {q1, b}}, plus, 0.0f).
template <element T, operator_on<T> Op>
[[nodiscard]] T reduce(const std::vector<Slice>& slices, Op op, T init,
                       const DistributedOptions& options = {}) {
  Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
  return reduce(group, slices, Operator(op), Value(init), options).template as<T>();
}

/// Scans the slices of all ranks, of which this process has `mine`, into their outputs.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void inclusive_scan(Queue& queue, Group& group, R&& mine, Out&& output, Op op,
                    const DistributedOptions& options = {}) {
  scan(group, ScanKind::inclusive, {ScanSlice{queue, erase(mine), erase(output)}}, Operator(op), {},
       options);
}

/// The same with an initial value in front of all slices.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void inclusive_scan(Queue& queue, Group& group, R&& mine, Out&& output, Op op, Init init,
                    const DistributedOptions& options = {}) {
  scan(group, ScanKind::inclusive, {ScanSlice{queue, erase(mine), erase(output)}}, Operator(op),
       Value(init), options);
}

/// Scans the slices of all ranks; the first output of all is Operator::of_nothing().
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void exclusive_scan(Queue& queue, Group& group, R&& mine, Out&& output, Op op,
                    const DistributedOptions& options = {}) {
  scan(group, ScanKind::exclusive, {ScanSlice{queue, erase(mine), erase(output)}}, Operator(op), {},
       options);
}

/// The same; the first output of all is init.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void exclusive_scan(Queue& queue, Group& group, R&& mine, Out&& output, Op op, Init init,
                    const DistributedOptions& options = {}) {
  scan(group, ScanKind::exclusive, {ScanSlice{queue, erase(mine), erase(output)}}, Operator(op),
       Value(init), options);
}

/// Scans slices, one after the other, each on the device of its queue, into their outputs:
/// inclusive_scan({{q0, a, x}, {q1, b, y}}, plus).
template <class Op>
  requires detail::is_operator<Op>
void inclusive_scan(const std::vector<ScanSlice>& slices, Op op,
                    const std::optional<Value>& init = {}, const DistributedOptions& options = {}) {
  Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
  scan(group, ScanKind::inclusive, slices, Operator(op), init, options);
}

/// The same without the element of an output's own index.
template <class Op>
  requires detail::is_operator<Op>
void exclusive_scan(const std::vector<ScanSlice>& slices, Op op,
                    const std::optional<Value>& init = {}, const DistributedOptions& options = {}) {
  Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
  scan(group, ScanKind::exclusive, slices, Operator(op), init, options);
}

/// @}

}  // namespace bifold
