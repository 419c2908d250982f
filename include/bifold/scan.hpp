/// @file
/// Scan (prefix sum): the calls and their plan.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device_values.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/gallery.hpp>
#include <bifold/lines.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/queue.hpp>
#include <bifold/scalar.hpp>
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

/// Whether an output takes in the element of its own index.
enum class ScanKind : std::uint8_t {
  inclusive,  ///< out[i] = init, x[0], ..., x[i] combined.
  /// out[i] = init, x[0], ..., x[i-1] combined; out[0] = init, or Operator::of_nothing() without.
  exclusive,
};

/// "inclusive" or "exclusive".
BIFOLD_API std::string_view name_of(ScanKind kind) noexcept;

/// Everything about a scan call that has a default.
struct ScanOptions {
  std::vector<Event> wait{};             ///< The call starts after these.
  Event* done = nullptr;                 ///< Receives the call's completion.
  const Workspace* workspace = nullptr;  ///< Scratch to use instead of the queue's own.
  std::optional<Type>
      accumulate{};  ///< Accumulate in this type, not accumulator_of() the output's.
  std::string_view variant = "production";  ///< The name of a scan of the gallery.
  Order order = Order::v1;                  ///< What "production" keeps to.
  /// One u32 or u64 in device memory, read when the call runs: n. The input's count is then the
  /// most there can be, and what a larger n counts as; no element from n on is read or written.
  std::optional<ErasedView> count_from{};
  /// One element of the accumulator's type in device memory, read when the call runs: the initial
  /// value, instead of the call's. It may not be the output's or the total's memory.
  std::optional<ErasedView> init_from{};
  /// One element of the accumulator's type in device memory: receives op(init, all of x), from
  /// both kinds of scan; init when n = 0, or Operator::of_nothing() without one. In order v1 it has
  /// the bits of the last inclusive output; in other orders the last bits of a floating one may
  /// differ. It may not be memory that the call uses otherwise.
  std::optional<ErasedView> total{};
  /// The lines of the input: each is scanned as if it were alone. The views have to hold all
  /// elements, and may have more. count_from is then the length of every line, init_from one value
  /// for all lines or one for each, side by side, and total one for each.
  std::optional<Lines> lines{};
  /// Where outputs lie: as many lines of as many elements. Without, as the input's.
  std::optional<Lines> output_lines{};
  /// One u32 or u64 in device memory, read when the call runs: how many of the lines there are.
  /// Later ones are neither read nor written.
  std::optional<ErasedView> lines_from{};
  /// Scans from the last element to the first: out[i] = x[i], ..., x[n-1], init combined in that
  /// order, or x[i+1] to init. Bits are those of a reversed copy that is scanned with op(b, a).
  bool reverse = false;
  /// Makes each output of an accumulator; `total` stays one. The accumulator's type is then that of
  /// a user's operator, unless `accumulate` says otherwise.
  ResultMap result_map{};
  /// A value for each scalar that the call's texts declare, in any order.
  std::vector<Scalar> scalars{};
  /// Outputs beside the call's, at most three. Each lies as the call's does; its memory is that of
  /// the input or of nothing else.
  std::vector<Output> more_outputs{};
  /// The lines of the arrays beside the first, which lie alike; without, those of the first.
  std::optional<Lines> second_lines{};
};

/// @}
/// @addtogroup plans
/// @{

/// What a scan is, apart from its data.
struct ScanShape {
  Type input = Type::i32;                   ///< Of the elements read.
  Type output = Type::i32;                  ///< Of the elements written.
  Type accumulator = Type::i32;             ///< Of the initial value and of partial results.
  ScanKind kind = ScanKind::inclusive;      ///< Whether output i takes in input i.
  Operator op = plus;                       ///< Defined on the accumulator.
  std::string_view variant = "production";  ///< The name of a scan of the gallery.
  DeviceValues on_device{};  ///< What the options' count_from, init_from and total will bring.
  Order order = Order::v1;   ///< What "production" keeps to.
  Map map{};                 ///< Applied to each element before it is combined.
  bool lines = false;        ///< Whether the options bring lines.
  bool reverse = false;      ///< Whether it goes from the last element to the first.
  ResultMap result_map{};    ///< Makes each output of an accumulator.
  std::vector<OutputShape> more_outputs{};  ///< Outputs beside `output`.
  std::vector<Type> more_inputs{};          ///< Of the elements that the map names y, z and w.
};

/// A scan made ready for a device; see ReducePlan.
class BIFOLD_API_CLASS ScanPlan {
 public:
  /// May compile. Throws unsupported when the device cannot run the shape, invalid_argument for an
  /// unknown variant, an operator not defined on the accumulator, a count of another type than u32
  /// and u64, a map that names y, a map or result map that does not fit its types, or a shape that
  /// would convert floating values to integers (a logical operator's input, and what has a map,
  /// excepted).
  ScanPlan(const Device& device, const ScanShape& shape);

  /// The row that runs: "production" resolved. Of production, it may be the one of large inputs,
  /// with another of the same order for small ones.
  [[nodiscard]] const gallery::Variant& variant() const;
  /// The row that runs for `n` elements: "production" may have another one for small inputs.
  [[nodiscard]] const gallery::Variant& variant(std::uint64_t n) const;

  /// Bytes of workspace for any input of up to `n` elements. Touches no device; monotone in n.
  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t n) const;
  /// The same for lines: for as many of up to that length, wherever they lie.
  [[nodiscard]] std::uint64_t workspace_bytes(const Lines& lines) const;

  /// Enqueues the scan of input into output; `init`, of the accumulator type, is the carry before
  /// the first element, the operator's identity where there is none; an exclusive scan's first
  /// value, and a total of nothing, is Operator::of_nothing() then. In place means the same
  /// memory, offset and element size. The options' variant, order, accumulate, reverse and
  /// result_map are not looked at. Throws invalid_argument, before anything is written, for views
  /// of other types, counts or devices, any other overlap, an init that the accumulator does not
  /// hold exactly, none for an exclusive scan or a total where the operator has no identity, values
  /// in device memory other than the shape's, or a workspace that is too small.
  void run(Queue& queue, const ErasedView& input, const ErasedView& output,
           const std::optional<Value>& init, const ScanOptions& options = {}) const;

  /// The same for a shape of several arrays, which have as many elements.
  void run(Queue& queue, const Zipped& input, const ErasedView& output,
           const std::optional<Value>& init, const ScanOptions& options = {}) const;

  /// @cond internal
  // A handle on a plan made otherwise.
  explicit ScanPlan(std::shared_ptr<const detail::Plan> plan);
  /// @endcond

 private:
  [[nodiscard]] const detail::Plan& plan() const;
  std::shared_ptr<const detail::Plan> plan_;
};

/// Compiles what calls of this shape run, of any size, and keeps it for the device. Throws as
/// ScanPlan's constructor.
BIFOLD_API void warm(const Device& device, const ScanShape& shape);

/// @}
/// @addtogroup calls
/// @{

/// Enqueues the scan of input into output; without init the carry is the operator's identity, and
/// the first value of an exclusive scan Operator::of_nothing(), +0.0 for a floating sum. The
/// accumulator's type holds init exactly.
/// Errors as ScanPlan and ScanPlan::run; the plan is kept by the device.
BIFOLD_API void scan(Queue& queue, ScanKind kind, const ErasedView& input, const ErasedView& output,
                     const Operator& op, const std::optional<Value>& init = {},
                     const ScanOptions& options = {});

/// The same with map(x) instead of each element x.
BIFOLD_API void transform_scan(Queue& queue, ScanKind kind, const ErasedView& input,
                               const ErasedView& output, const Operator& op,
                               const std::optional<Value>& init, const Map& map,
                               const ScanOptions& options = {});

/// The same over several arrays of one length: map(x, y, z, w) of the elements of one index. The
/// output may take the place of one of them.
BIFOLD_API void transform_scan(Queue& queue, ScanKind kind, const Zipped& input,
                               const ErasedView& output, const Operator& op,
                               const std::optional<Value>& init, const Map& map,
                               const ScanOptions& options = {});

/// Enqueues output[i] = op over input[0..i], accumulated in accumulator_t of the output's type
/// unless the options say otherwise, and rounded to the output's once. In place is allowed. Errors
/// as ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void inclusive_scan(Queue& queue, R&& input, Out&& output, Op op, const ScanOptions& options = {}) {
  scan(queue, ScanKind::inclusive, erase(input), erase(output), Operator(op), {}, options);
}

/// Enqueues output[i] = op over init, which accumulator_t of the output's type holds
/// exactly, and input[0..i]. In place is allowed. Errors as ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void inclusive_scan(Queue& queue, R&& input, Out&& output, Op op, Init init,
                    const ScanOptions& options = {}) {
  scan(queue, ScanKind::inclusive, erase(input), erase(output), Operator(op), Value(init), options);
}

/// Enqueues output[i] = op over input[0..i-1]; output[0] is Operator::of_nothing(): the identity,
/// but +0.0 for a floating sum. In place is allowed. Errors as ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void exclusive_scan(Queue& queue, R&& input, Out&& output, Op op, const ScanOptions& options = {}) {
  scan(queue, ScanKind::exclusive, erase(input), erase(output), Operator(op), {}, options);
}

/// Enqueues output[i] = op over init, which accumulator_t of the output's type holds
/// exactly, and input[0..i-1]; output[0] is init. In place is allowed. Errors as ScanPlan and
/// ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void exclusive_scan(Queue& queue, R&& input, Out&& output, Op op, Init init,
                    const ScanOptions& options = {}) {
  scan(queue, ScanKind::exclusive, erase(input), erase(output), Operator(op), Value(init), options);
}

/// Enqueues output[i] = op over map(x) of input[0..i]. In place is allowed. Errors as
/// ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void transform_inclusive_scan(Queue& queue, R&& input, Out&& output, Op op, const Map& map,
                              const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::inclusive, erase(input), erase(output), Operator(op), {}, map,
                 options);
}

/// Enqueues output[i] = op over init, which accumulator_t of the output's type holds exactly, and
/// map(x) of input[0..i]. In place is allowed. Errors as ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void transform_inclusive_scan(Queue& queue, R&& input, Out&& output, Op op, Init init,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::inclusive, erase(input), erase(output), Operator(op), Value(init),
                 map, options);
}

/// Enqueues output[i] = op over map(x) of input[0..i-1]; output[0] is Operator::of_nothing(), as of
/// exclusive_scan(). In place is allowed. Errors as ScanPlan and ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op>
void transform_exclusive_scan(Queue& queue, R&& input, Out&& output, Op op, const Map& map,
                              const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::exclusive, erase(input), erase(output), Operator(op), {}, map,
                 options);
}

/// Enqueues output[i] = op over init, which accumulator_t of the output's type holds exactly, and
/// map(x) of input[0..i-1]; output[0] is init. In place is allowed. Errors as ScanPlan and
/// ScanPlan::run.
template <device_range R, writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void transform_exclusive_scan(Queue& queue, R&& input, Out&& output, Op op, Init init,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::exclusive, erase(input), erase(output), Operator(op), Value(init),
                 map, options);
}

/// Enqueues output[i] = op over map(x, y, z, w) of the elements 0 to i of several arrays. Errors as
/// ScanPlan and ScanPlan::run.
template <writable_range Out, operator_on<range_value_t<Out>> Op>
void transform_inclusive_scan(Queue& queue, const Zipped& input, Out&& output, Op op,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::inclusive, input, erase(output), Operator(op), {}, map, options);
}

/// The same over init, too, which accumulator_t of the output's type holds exactly.
template <writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void transform_inclusive_scan(Queue& queue, const Zipped& input, Out&& output, Op op, Init init,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::inclusive, input, erase(output), Operator(op), Value(init), map,
                 options);
}

/// Enqueues output[i] = op over map(x, y, z, w) of the elements 0 to i - 1; else the same.
template <writable_range Out, operator_on<range_value_t<Out>> Op>
void transform_exclusive_scan(Queue& queue, const Zipped& input, Out&& output, Op op,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::exclusive, input, erase(output), Operator(op), {}, map, options);
}

/// The same over init, too, which is output[0].
template <writable_range Out, operator_on<range_value_t<Out>> Op,
          initial_value<Op, range_value_t<Out>> Init>
void transform_exclusive_scan(Queue& queue, const Zipped& input, Out&& output, Op op, Init init,
                              const Map& map, const ScanOptions& options = {}) {
  transform_scan(queue, ScanKind::exclusive, input, erase(output), Operator(op), Value(init), map,
                 options);
}

/// @}

}  // namespace bifold
