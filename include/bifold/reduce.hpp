/// @file
/// Reduction: the calls and their plan.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device_values.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/gallery.hpp>
#include <bifold/keys/keys.hpp>
#include <bifold/lines.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/queue.hpp>
#include <bifold/scalar.hpp>
#include <bifold/segments/segments.hpp>
#include <bifold/workspace.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace bifold {

/// @addtogroup calls
/// @{

namespace detail {
class Plan;
}

/// Everything about a reduce call that has a default.
struct ReduceOptions {
  std::vector<Event> wait{};                ///< The call starts after these.
  Event* done = nullptr;                    ///< Receives the call's completion.
  const Workspace* workspace = nullptr;     ///< Scratch to use instead of the queue's own.
  std::string_view variant = "production";  ///< The name of a reduction of the gallery.
  Order order = Order::v1;                  ///< What "production" keeps to.
  /// One u32 or u64 in device memory, read when the call runs: n. The input's count is then the
  /// most there can be, and what a larger n counts as; no element from n on is read.
  std::optional<ErasedView> count_from{};
  /// One element of the accumulator's type in device memory, read when the call runs: the initial
  /// value, instead of the call's. It may be the result, which then accumulates call by call.
  std::optional<ErasedView> init_from{};
  /// The lines of the input: each is reduced as if it were alone, and has a result of its own. The
  /// views have to hold all elements, and may have more. count_from is then the length of every
  /// line, and init_from one value for all lines or one for each, side by side.
  std::optional<Lines> lines{};
  /// Where results lie: as many lines as the input's, of one element. Without, Lines::values().
  std::optional<Lines> result_lines{};
  /// The lines of the arrays beside the first, as many and as long; without, those of the first.
  std::optional<Lines> second_lines{};
  /// One u32 or u64 in device memory, read when the call runs: how many of the lines there are.
  /// Later ones are neither read nor written.
  std::optional<ErasedView> lines_from{};
  /// Accumulate in this type, not accumulator_of() the result's. Then init is held by this one.
  std::optional<Type> accumulate{};
  /// Makes the result of the accumulator. The accumulator's type is then that of a user's operator,
  /// unless `accumulate` says otherwise.
  ResultMap result_map{};
  /// A value for each scalar that the call's texts declare, in any order.
  std::vector<Scalar> scalars{};
  /// Results beside the call's, at most three. Each lies as the call's does.
  std::vector<Output> more_outputs{};
  /// The segments of the input, instead of lines: each is reduced as if it were alone, and has a
  /// result of its own, side by side; of an empty one that is what a call of no elements gives. An
  /// operator without identity wants an initial value. lines_from is then the number of segments,
  /// and init_from one value for all or one for each.
  std::optional<Segments> segments{};
  /// Keys of the elements, instead of lines, segments and lines_from, of calls that leave results
  /// in device memory; means and variances take none. Each run of equal keys has a result, side by
  /// side. init_from is one value for all runs.
  std::optional<Keys> keys{};
};

/// @}
/// @addtogroup plans
/// @{

/// What a reduction is, apart from its data.
struct ReduceShape {
  Type input = Type::i32;                   ///< Of the elements read.
  Type accumulator = Type::i32;             ///< Of the initial value and of partial results.
  Operator op = plus;                       ///< Defined on the accumulator.
  std::string_view variant = "production";  ///< The name of a reduction of the gallery.
  Map map{};                                ///< Applied to each element before it is combined.
  DeviceValues on_device{};      ///< What the options' count_from and init_from will bring.
  Order order = Order::v1;       ///< What "production" keeps to.
  std::optional<Type> second{};  ///< Of a second array, the same as one of `more_inputs`.
  std::optional<Type> result{};  ///< Rounded to it once; the accumulator's by default.
  bool lines = false;            ///< Whether the options bring lines.
  ResultMap result_map{};        ///< Makes the result of the accumulator.
  std::vector<OutputShape> more_outputs{};  ///< Results beside `result`.
  std::vector<Type> more_inputs{};          ///< Of the elements that the map names y, z and w.
  std::optional<SegmentShape> segments{};   ///< What the options' segments are.
  std::optional<KeyShape> keys{};           ///< What the options' keys are.
};

/// A reduction made ready for a device: variant chosen, kernels built. Immutable, shared freely
/// between threads; run() allocates no device memory when it is given a workspace, and compiles
/// nothing.
class BIFOLD_API_CLASS ReducePlan {
 public:
  /// May compile. Throws unsupported when the device cannot run the shape, invalid_argument for an
  /// unknown variant, an operator not defined on the accumulator, an accumulator of f16 or bf16, a
  /// count of another type than u32 and u64, a total, a map that names y without a second array or
  /// a second array without a map, a map, result map or equality that does not fit its types, keys
  /// beside lines or segments, or, without a map, floating values to an integer type (a logical
  /// operator's input excepted) or a struct to another type.
  ReducePlan(const Device& device, const ReduceShape& shape);

  /// The row that runs: "production" resolved.
  [[nodiscard]] const gallery::Variant& variant() const;
  /// The row that runs for `n` elements: "production" may have another one for small inputs.
  [[nodiscard]] const gallery::Variant& variant(std::uint64_t n) const;

  /// Bytes of workspace for any input of up to `n` elements, of any number of segments or runs.
  /// Touches no device; monotone in n.
  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t n) const;
  /// The same for lines: for as many of up to that length, wherever they lie.
  [[nodiscard]] std::uint64_t workspace_bytes(const Lines& lines) const;

  /// Enqueues result[0] = op(init, reduction of input), or one for each line, segment or run;
  /// without init, the reduction alone, and Operator::of_nothing() where n = 0. The options'
  /// variant, order, accumulate and result_map, and the equality of keys, are not looked at. Throws
  /// invalid_argument, before anything is written, for views of other types, of another device or
  /// overlapping each other or the workspace, a result of other than one element, or one for each
  /// line, segment or place of `unique`, an init that the accumulator's type does not hold exactly,
  /// none for n = 0 (or a count in device memory) where the operator has no identity, values in
  /// device memory other than the shape's, or a workspace that is too small.
  void run(Queue& queue, const ErasedView& input, const ErasedView& result,
           const std::optional<Value>& init, const ReduceOptions& options = {}) const;

  /// The same for a shape of two arrays, which have as many elements.
  void run(Queue& queue, const ErasedView& input, const ErasedView& second,
           const ErasedView& result, const std::optional<Value>& init,
           const ReduceOptions& options = {}) const;

  /// The same for a shape of several arrays.
  void run(Queue& queue, const Zipped& input, const ErasedView& result,
           const std::optional<Value>& init, const ReduceOptions& options = {}) const;

  /// @cond internal
  // A handle on a plan made otherwise.
  explicit ReducePlan(std::shared_ptr<const detail::Plan> plan);
  /// @endcond

 private:
  [[nodiscard]] const detail::Plan& plan() const;
  std::shared_ptr<const detail::Plan> plan_;
};

/// Compiles what calls of this shape run, of any size, and keeps it for the device. Throws as
/// ReducePlan's constructor.
BIFOLD_API void warm(const Device& device, const ReduceShape& shape);

/// @}
/// @addtogroup calls
/// @{

/// Enqueues result[0] = op(init, reduction of map(x) over input); the accumulator is the result's
/// type, or f32 where that is f16 or bf16, whose result is rounded once, unless the options say
/// otherwise. It holds init exactly.
/// n = 0 gives init, or without one Operator::of_nothing(), +0.0 for a floating sum. Errors as
/// ReducePlan and ReducePlan::run; the plan is kept by the device.
BIFOLD_API void transform_reduce_into(Queue& queue, const ErasedView& input,
                                      const ErasedView& result, const Operator& op,
                                      const std::optional<Value>& init, const Map& map,
                                      const ReduceOptions& options = {});

/// The same over pairs: map(x, y) of the elements of one index in two arrays of one length.
BIFOLD_API void transform_reduce_into(Queue& queue, const ErasedView& input,
                                      const ErasedView& second, const ErasedView& result,
                                      const Operator& op, const std::optional<Value>& init,
                                      const Map& map, const ReduceOptions& options = {});

/// The same over several arrays: map(x, y, z, w) of the elements of one index.
BIFOLD_API void transform_reduce_into(Queue& queue, const Zipped& input, const ErasedView& result,
                                      const Operator& op, const std::optional<Value>& init,
                                      const Map& map, const ReduceOptions& options = {});

/// Enqueues result[0] = op(init, reduction of input): transform_reduce_into() without a map.
BIFOLD_API void reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                            const Operator& op, const std::optional<Value>& init,
                            const ReduceOptions& options = {});

/// Blocks, and returns op(init, reduction of map(x) over input) as a `result`, accumulated as
/// transform_reduce_into() does, where types are known at run time only. Errors as
/// transform_reduce_into(), and failures of the work.
BIFOLD_API Value transform_reduce(Queue& queue, const ErasedView& input, Type result,
                                  const Operator& op, const std::optional<Value>& init,
                                  const Map& map, const ReduceOptions& options = {});

/// The same over pairs: map(x, y) of the elements of one index in two arrays of one length.
BIFOLD_API Value transform_reduce(Queue& queue, const ErasedView& input, const ErasedView& second,
                                  Type result, const Operator& op, const std::optional<Value>& init,
                                  const Map& map, const ReduceOptions& options = {});

/// The same over several arrays: map(x, y, z, w) of the elements of one index.
BIFOLD_API Value transform_reduce(Queue& queue, const Zipped& input, Type result,
                                  const Operator& op, const std::optional<Value>& init,
                                  const Map& map, const ReduceOptions& options = {});

/// Blocks, and returns op(init, reduction of map(x) over input) in init's type.
BIFOLD_API Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op,
                                  const Value& init, const Map& map,
                                  const ReduceOptions& options = {});

/// Blocks, and returns op(init, reduction of input): transform_reduce() without a map.
BIFOLD_API Value reduce(Queue& queue, const ErasedView& input, const Operator& op,
                        const Value& init, const ReduceOptions& options = {});

/// Blocks, and returns op(init, reduction of `input`), accumulated in the type of `init`, as
/// std::reduce does, or in float where that is f16 or bf16. Errors as transform_reduce_into(), and
/// failures of the work; floating elements into an integer are invalid_argument, where std::reduce
/// would truncate each.
template <device_range R, element T, operator_on<T> Op>
[[nodiscard]] T reduce(Queue& queue, R&& input, Op op, T init, const ReduceOptions& options = {}) {
  return reduce(queue, erase(input), Operator(op), Value(init), options).template as<T>();
}

/// Blocks, and returns the reduction of `input` in its own type, accumulated in float where that
/// is f16 or bf16; Operator::of_nothing() when it is empty (the identity, but +0.0 for a floating
/// sum), invalid_argument where there is none.
template <device_range R, operator_on<range_value_t<R>> Op>
[[nodiscard]] range_value_t<R> reduce(Queue& queue, R&& input, Op op,
                                      const ReduceOptions& options = {}) {
  using T = range_value_t<R>;
  return transform_reduce(queue, erase(input), type_of<T>(), Operator(op), {}, {}, options)
      .template as<T>();
}

/// Blocks, and returns op(init, reduction of map(x) over `input`), accumulated in the type of
/// `init`: transform_reduce(queue, x, plus, 0.0f, "x * x").
template <device_range R, element T, operator_on<T> Op>
[[nodiscard]] T transform_reduce(Queue& queue, R&& input, Op op, T init, const Map& map,
                                 const ReduceOptions& options = {}) {
  return transform_reduce(queue, erase(input), Operator(op), Value(init), map, options)
      .template as<T>();
}

/// Blocks, and returns op(init, reduction of map(x, y) over pairs of elements of two arrays of one
/// length), accumulated in the type of `init`:
/// transform_reduce(queue, x, y, maximum, 0.0f, "x < y ? y - x : x - y").
template <device_range R, device_range S, element T, operator_on<T> Op>
[[nodiscard]] T transform_reduce(Queue& queue, R&& input, S&& second, Op op, T init, const Map& map,
                                 const ReduceOptions& options = {}) {
  return transform_reduce(queue, erase(input), erase(second), type_of<T>(), Operator(op),
                          Value(init), map, options)
      .template as<T>();
}

/// The same over several arrays of one length.
template <element T, operator_on<T> Op>
[[nodiscard]] T transform_reduce(Queue& queue, const Zipped& input, Op op, T init, const Map& map,
                                 const ReduceOptions& options = {}) {
  return transform_reduce(queue, input, type_of<T>(), Operator(op), Value(init), map, options)
      .template as<T>();
}

/// Enqueues result[0] = op(init, reduction of `input`), accumulated in accumulator_t of the
/// result's type, which holds init exactly (see initial_value). `result` has one element, outside
/// `input`.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void reduce_into(Queue& queue, R&& input, Out&& result, Op op, Init init,
                 const ReduceOptions& options = {}) {
  reduce_into(queue, erase(input), erase(result), Operator(op), Value(init), options);
}
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op, element Init>
void reduce_into(Queue& queue, R&& input, Out&& result, Op op, Init init,
                 const ReduceOptions& options = {}) = delete;

/// Enqueues result[0] = the reduction of `input`, accumulated in accumulator_t of the result's
/// type.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void reduce_into(Queue& queue, R&& input, Out&& result, Op op, const ReduceOptions& options = {}) {
  reduce_into(queue, erase(input), erase(result), Operator(op), std::nullopt, options);
}

/// Enqueues result[0] = op(init, reduction of map(x) over `input`), accumulated in accumulator_t of
/// the result's type, which holds init exactly (see initial_value).
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void transform_reduce_into(Queue& queue, R&& input, Out&& result, Op op, Init init, const Map& map,
                           const ReduceOptions& options = {}) {
  transform_reduce_into(queue, erase(input), erase(result), Operator(op), Value(init), map,
                        options);
}
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op, element Init>
void transform_reduce_into(Queue& queue, R&& input, Out&& result, Op op, Init init, const Map& map,
                           const ReduceOptions& options = {}) = delete;

/// @}

}  // namespace bifold
