/// @file
/// Reductions of the segments of an array, each with a result of its own. Other reductions take
/// segments by ReduceOptions::segments.
#pragma once

#include <bifold/reduce.hpp>
#include <bifold/segments/segments.hpp>
#include <optional>
#include <utility>

namespace bifold {

/// @addtogroup calls
/// @{

/// Enqueues result[s] = op(init, reduction of map(x) over segment s of the input), with the bits
/// that a call on the segment alone has; `i` in the map counts from the segment's first element. Of
/// an empty segment it is init, or without one Operator::of_nothing(). The result has one element
/// for each segment. Errors as transform_reduce_into(); an operator without identity wants an
/// initial value.
BIFOLD_API void segmented_transform_reduce(Queue& queue, const ErasedView& input,
                                           const Segments& segments, const ErasedView& result,
                                           const Operator& op, const std::optional<Value>& init,
                                           const Map& map, const ReduceOptions& options = {});

/// The same without a map.
BIFOLD_API void segmented_reduce(Queue& queue, const ErasedView& input, const Segments& segments,
                                 const ErasedView& result, const Operator& op,
                                 const std::optional<Value>& init,
                                 const ReduceOptions& options = {});

/// The same of ranges in device memory: segmented_reduce(queue, x, Segments::of_offsets(offsets),
/// sums, plus).
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void segmented_reduce(Queue& queue, R&& input, const Segments& segments, Out&& result, Op op,
                      const ReduceOptions& options = {}) {
  segmented_reduce(queue, erase(input), segments, erase(result), Operator(op), std::nullopt,
                   options);
}
/// The same with an initial value of each segment.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void segmented_reduce(Queue& queue, R&& input, const Segments& segments, Out&& result, Op op,
                      Init init, const ReduceOptions& options = {}) {
  segmented_reduce(queue, erase(input), segments, erase(result), Operator(op), Value(init),
                   options);
}

/// @}

}  // namespace bifold
