/// @file
/// Reductions by key. Other reductions take keys by ReduceOptions::keys.
#pragma once

#include <bifold/keys/keys.hpp>
#include <bifold/reduce.hpp>
#include <optional>
#include <utility>

namespace bifold {

/// @addtogroup calls
/// @{

/// Enqueues result[r] = op(init, reduction of map(x) over run r of the keys), with the bits that a
/// call on the elements of that run alone has; `i` in the map counts from the run's first element.
/// Where the keys are sorted, that is one result for each key. The call keeps 4 or 8 bytes of
/// scratch for each place of the result, as `runs` is u32 or u64. Errors as
/// transform_reduce_into() and unique(); invalid_argument for views that overlap, too.
BIFOLD_API void transform_reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                                        const ErasedView& result, const Operator& op,
                                        const std::optional<Value>& init, const Map& map,
                                        const ReduceOptions& options = {});

/// The same without a map.
BIFOLD_API void reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                              const ErasedView& result, const Operator& op,
                              const std::optional<Value>& init, const ReduceOptions& options = {});

/// The same of ranges in device memory: reduce_by_key(queue, keys, x, unique, sums, runs, plus).
template <device_range K, device_range R, writable_range Unique, writable_range Out,
          writable_range Runs, operator_on<range_value_t<Out>> Op>
void reduce_by_key(Queue& queue, K&& keys, R&& input, Unique&& unique, Out&& result, Runs&& runs,
                   Op op, const ReduceOptions& options = {}) {
  reduce_by_key(queue, Keys::of(keys, unique, runs), erase(input), erase(result), Operator(op),
                std::nullopt, options);
}

/// Enqueues result[r] = the number of elements of run r of the keys: a count by key. The result has
/// integers; it is the reduction of the map "1" by plus, which reads the keys alone.
BIFOLD_API void run_length_encode(Queue& queue, const Keys& keys, const ErasedView& result,
                                  const ReduceOptions& options = {});

/// The same of ranges in device memory: run_length_encode(queue, x, unique, lengths, runs).
template <device_range R, writable_range Unique, writable_range Out, writable_range Runs>
void run_length_encode(Queue& queue, R&& input, Unique&& unique, Out&& lengths, Runs&& runs,
                       const ReduceOptions& options = {}) {
  run_length_encode(queue, Keys::of(input, unique, runs), erase(lengths), options);
}

/// The same by another name.
template <device_range R, writable_range Unique, writable_range Out, writable_range Runs>
void count_by_key(Queue& queue, R&& keys, Unique&& unique, Out&& counts, Runs&& runs,
                  const ReduceOptions& options = {}) {
  run_length_encode(queue, keys, unique, counts, runs, options);
}

/// @}

}  // namespace bifold
