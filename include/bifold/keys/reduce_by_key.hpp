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

/// Enqueues result[r] = op(init, reduction of map(x) over run r). Each result has the bits of a
/// call on that run's elements alone. `i` in the map counts from the run's first element. An
/// operator needs no identity. Scratch has one offset of the type of `runs` for each of min(n,
/// places) runs and one more, beside what the selection and the reduction take;
/// ReducePlan::workspace_bytes(n) tells the bytes. The options' variant names the row that reduces
/// the runs. Throws as transform_reduce_into() and unique(), and invalid_argument for lines or
/// segments in the options and for an output that overlaps any other view.
BIFOLD_API void transform_reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                                        const ErasedView& result, const Operator& op,
                                        const std::optional<Value>& init, const Map& map,
                                        const ReduceOptions& options = {});

/// The same without a map.
BIFOLD_API void reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                              const ErasedView& result, const Operator& op,
                              const std::optional<Value>& init, const ReduceOptions& options = {});

/// The same of ranges in device memory: reduce_by_key(queue, keys, x, unique, sums, runs, plus).
/// The arguments have the order of Thrust, not of CUB: values come before `unique`.
template <device_range K, device_range R, writable_range Unique, writable_range Out,
          writable_range Runs, operator_on<range_value_t<Out>> Op>
void reduce_by_key(Queue& queue, K&& keys, R&& input, Unique&& unique, Out&& result, Runs&& runs,
                   Op op, const ReduceOptions& options = {}) {
  reduce_by_key(queue, Keys::of(keys, unique, runs), erase(input), erase(result), Operator(op),
                std::nullopt, options);
}
/// The same with an equality of its own, Keys::of(keys, unique, runs, "x / 10 == y / 10").
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void reduce_by_key(Queue& queue, const Keys& keys, R&& input, Out&& result, Op op,
                   const ReduceOptions& options = {}) {
  reduce_by_key(queue, keys, erase(input), erase(result), Operator(op), std::nullopt, options);
}
/// The same with an initial value of each run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void reduce_by_key(Queue& queue, const Keys& keys, R&& input, Out&& result, Op op, Init init,
                   const ReduceOptions& options = {}) {
  reduce_by_key(queue, keys, erase(input), erase(result), Operator(op), Value(init), options);
}

/// Enqueues lengths[r] = the number of elements of run r: the reduction of the map "1" by plus. Of
/// integers it subtracts neighbouring beginnings of runs, and reads the keys alone; a narrow one
/// wraps around. Of f32 or f64 it is a floating sum.
BIFOLD_API void run_length_encode(Queue& queue, const Keys& keys, const ErasedView& lengths,
                                  const ReduceOptions& options = {});

/// The same of ranges in device memory: run_length_encode(queue, x, unique, lengths, runs).
template <device_range R, writable_range Unique, writable_range Out, writable_range Runs>
void run_length_encode(Queue& queue, R&& input, Unique&& unique, Out&& lengths, Runs&& runs,
                       const ReduceOptions& options = {}) {
  run_length_encode(queue, Keys::of(input, unique, runs), erase(lengths), options);
}

/// The same by another name.
template <device_range R, writable_range Unique, writable_range Out, writable_range Runs>
void count_by_key(Queue& queue, R&& keys, Unique&& unique, Out&& lengths, Runs&& runs,
                  const ReduceOptions& options = {}) {
  run_length_encode(queue, keys, unique, lengths, runs, options);
}

/// @}

}  // namespace bifold
