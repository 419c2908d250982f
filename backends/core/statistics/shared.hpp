// What mean, variance and norm have in common.
#pragma once

#include <bifold/reduce.hpp>
#include <bifold/type.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace bifold::core {

/// A complex number's part, or the accumulator of a real one.
Type part_of(Type number);

/// mean_t of a type that is known at run time only.
Type mean_of(Type element);

/// The type that the options want it computed in, f32 or f64, if they do. Throws invalid_argument
/// for another one, for elements that are no numbers, and an initial value in device memory.
std::optional<Type> asked_type(std::string_view call, Type element, const ReduceOptions& options);

/// Throws invalid_argument for results that are not floating or, if `complex`, not complex.
void need_result(std::string_view call, Type result, bool complex);

/// The options with what the call accumulates and makes of it.
ReduceOptions with_pieces(std::string_view call, const ReduceOptions& options, Type accumulator,
                          const ResultMap& result_map);

/// Enqueues what a call has made of its options.
inline auto enqueuing(Queue& queue, const ErasedView& input, const ErasedView& result) {
  return [&](const Operator& op, const Map& map, const ReduceOptions& options) {
    transform_reduce_into(queue, input, result, op, {}, map, options);
  };
}

/// The same, and waits for the result.
inline auto blocking(Queue& queue, const ErasedView& input, Type result) {
  return
      [&queue, &input, result](const Operator& op, const Map& map, const ReduceOptions& options) {
        return transform_reduce(queue, input, result, op, {}, map, options);
      };
}

}  // namespace bifold::core
