/// @file
/// Reductions of everyday use: where the extremes are, how many elements hold, exact-to-the-end
/// sums, products of two arrays, several results from one reading. Each is reduce() with a struct
/// for an accumulator, so all it promises holds: 64-bit sizes, and the same bits on every device.
#pragma once

#include <array>
#include <bifold/error.hpp>
#include <bifold/reduce.hpp>
#include <bifold/type.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bifold {

/// @addtogroup results
/// @{

/// The index of no element.
inline constexpr std::uint64_t no_index = (std::numeric_limits<std::uint64_t>::max)();

/// An element and where it stands: what argmin() and argmax() find.
template <builtin_element T>
struct Indexed {
  T value;              ///< The element.
  std::uint64_t index;  ///< Its index in the input, no_index where there is none.

  /// The same value and index.
  friend constexpr bool operator==(const Indexed&, const Indexed&) = default;
};

/// The least and the greatest element: what minmax() finds.
template <builtin_element T>
struct MinMax {
  T minimum;  ///< The least element.
  T maximum;  ///< The greatest element.

  /// The same values.
  friend constexpr bool operator==(const MinMax&, const MinMax&) = default;
};

/// A sum and what its roundings have lost so far.
template <std::floating_point T>
struct CompensatedSum {
  T sum;    ///< As plain addition rounds it.
  T error;  ///< What is missing in it.

  /// The sum with its error, rounded once; the sum itself where it is no number.
  [[nodiscard]] constexpr T value() const noexcept {
    // Only numbers differ from themselves by zero. A zero error would take the sign of a zero sum.
    return detail::is_zero(sum - sum) && !detail::is_zero(error) ? sum + error : sum;
  }
};

/// One of the results of reduce_many().
struct Reduction {
  Operator op;       ///< A built-in operator.
  Type accumulator;  ///< Of the result, and of partial ones.
  Map map{};         ///< Applied to each element before it is combined.
  /// Folded in exactly once. Without one, nothing gives Operator::of_nothing().
  std::optional<Value> init{};
};

/// @}

/// @cond internal
namespace detail {
// "Indexed_f32" and so on: a name for kernel texts, which may not depend on a C++ compiler.
class StructName {
 public:
  constexpr StructName(std::string_view prefix, Type of) {
    constexpr std::array<std::string_view, all_types.size()> names{
        "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"};
    for (const char c : prefix) text_[size_++] = c;
    for (const char c : names[of.kind()]) text_[size_++] = c;
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t room = 24;
  std::array<char, room> text_{};
  std::size_t size_ = 0;
};
}  // namespace detail

template <builtin_element T>
struct StructTraits<Indexed<T>> {
  static constexpr detail::StructName name{"Indexed_", type_of<T>()};
  static constexpr std::array fields{
      StructField{"value", type_of<T>(), offsetof(Indexed<T>, value)},
      StructField{"index", Type::u64, offsetof(Indexed<T>, index)}};
  static constexpr StructType definition{name.view(), sizeof(Indexed<T>), fields};
};

template <builtin_element T>
struct StructTraits<MinMax<T>> {
  static constexpr detail::StructName name{"MinMax_", type_of<T>()};
  static constexpr std::array fields{
      StructField{"minimum", type_of<T>(), offsetof(MinMax<T>, minimum)},
      StructField{"maximum", type_of<T>(), offsetof(MinMax<T>, maximum)}};
  static constexpr StructType definition{name.view(), sizeof(MinMax<T>), fields};
};

template <std::floating_point T>
struct StructTraits<CompensatedSum<T>> {
  static constexpr detail::StructName name{"CompensatedSum_", type_of<T>()};
  static constexpr std::array fields{
      StructField{"sum", type_of<T>(), offsetof(CompensatedSum<T>, sum)},
      StructField{"error", type_of<T>(), offsetof(CompensatedSum<T>, error)}};
  static constexpr StructType definition{name.view(), sizeof(CompensatedSum<T>), fields};
};
/// @endcond

/// @addtogroup results
/// @{

/// Finds what argmin() does, on Indexed of that built-in type (accumulator_t of f16 and bf16): NaN
/// comes first of all, then what is less, -0 below +0; of equals, the first. argmin() itself
/// reduces by ranks, a shape that no plan of this operator prepares.
BIFOLD_API const Operator& argmin_operator(Type element);
/// Finds what argmax() does, likewise: NaN comes first of all, then what is greater, +0 above -0;
/// of equals, the first.
BIFOLD_API const Operator& argmax_operator(Type element);
/// What minmax() reduces by, on MinMax of that built-in type.
BIFOLD_API const Operator& minmax_operator(Type element);
/// What sum_compensated() reduces by, on CompensatedSum of f32 or f64: Knuth's two-sum, whose error
/// term is exact. It commutes, and is associative up to the last roundings of the error.
BIFOLD_API const Operator& compensated_operator(Type element);

/// Blocks, and returns the least element and its index in `input`, of a built-in type: an Indexed
/// as a Value. Errors as transform_reduce_into(), and failures of the work.
BIFOLD_API Value argmin(Queue& queue, const ErasedView& input, const ReduceOptions& options = {});
/// The same for the greatest.
BIFOLD_API Value argmax(Queue& queue, const ErasedView& input, const ReduceOptions& options = {});
/// Blocks, and returns the least and the greatest element: a MinMax as a Value.
BIFOLD_API Value minmax(Queue& queue, const ErasedView& input, const ReduceOptions& options = {});
/// Enqueues argmin() into one Indexed, or its index alone into one u64 or i64.
BIFOLD_API void argmin_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                            const ReduceOptions& options = {});
/// Enqueues argmax() likewise.
BIFOLD_API void argmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                            const ReduceOptions& options = {});
/// Enqueues minmax() into one MinMax.
BIFOLD_API void minmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                            const ReduceOptions& options = {});

/// Blocks, and returns the number of elements x, of index i, for which the expression is not 0:
/// count_if(queue, x, "x > 0.5f").
BIFOLD_API std::uint64_t count_if(Queue& queue, const ErasedView& input, const Map& predicate,
                                  const ReduceOptions& options = {});
/// Enqueues count_if() into one u64.
BIFOLD_API void count_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                              const Map& predicate, const ReduceOptions& options = {});

/// Blocks, and returns the index of the first element x, of index i, for which the expression is
/// not 0; without an expression, of the first that is not 0. Reads on in pieces, each twice as long
/// as the one before, and no piece behind that of the first such element. Throws invalid_argument
/// for lines, a result map, and an accumulator, an initial value or a number of elements from
/// device memory; otherwise as transform_reduce().
BIFOLD_API std::optional<std::uint64_t> find_if(Queue& queue, const ErasedView& input,
                                                const Map& predicate,
                                                const ReduceOptions& options = {});
/// Enqueues find_if() into one u64 or i64, which is no_index or -1 where no element is found. Reads
/// all elements, of lines those of each. Errors as transform_reduce_into().
BIFOLD_API void find_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                             const Map& predicate, const ReduceOptions& options = {});
/// Blocks, and returns whether the expression is not 0 for any element; of nothing, false. Reads
/// and throws as find_if().
BIFOLD_API bool any(Queue& queue, const ErasedView& input, const Map& predicate = {},
                    const ReduceOptions& options = {});
/// Blocks, and returns whether it is not 0 for all elements; of nothing, true.
BIFOLD_API bool all(Queue& queue, const ErasedView& input, const Map& predicate = {},
                    const ReduceOptions& options = {});
/// Blocks, and returns whether it is 0 for all elements; of nothing, true.
BIFOLD_API bool none(Queue& queue, const ErasedView& input, const Map& predicate = {},
                     const ReduceOptions& options = {});

/// Blocks, and returns init plus the sum of the products of elements of one index in two arrays of
/// one length, in init's type. Products are rounded in the elements' types, as by
/// std::inner_product; integers wrap in init's. Of complex numbers all three types are the same,
/// and none is conjugated.
BIFOLD_API Value inner_product(Queue& queue, const ErasedView& first, const ErasedView& second,
                               const Value& init, const ReduceOptions& options = {});
/// The same in the type `result`, to which init belongs if there is one; +0.0 or 0 of nothing.
BIFOLD_API Value inner_product(Queue& queue, const ErasedView& first, const ErasedView& second,
                               Type result, const std::optional<Value>& init,
                               const ReduceOptions& options = {});
/// Enqueues inner_product() into one element, accumulated as transform_reduce_into() does.
BIFOLD_API void inner_product_into(Queue& queue, const ErasedView& first, const ErasedView& second,
                                   const ErasedView& result, const std::optional<Value>& init,
                                   const ReduceOptions& options = {});

/// Blocks, and returns init plus the sum of the elements with the rounding errors of all additions
/// added at the end, in init's type, f32 or f64: about as exact as a sum of twice the precision.
BIFOLD_API Value sum_compensated(Queue& queue, const ErasedView& input, const Value& init,
                                 const ReduceOptions& options = {});
/// The same in the type `result`, to which init belongs if there is one; +0.0 of nothing.
BIFOLD_API Value sum_compensated(Queue& queue, const ErasedView& input, Type result,
                                 const std::optional<Value>& init,
                                 const ReduceOptions& options = {});
/// Enqueues sum_compensated() into one CompensatedSum of f32 or f64, of which init has the type.
BIFOLD_API void sum_compensated_into(Queue& queue, const ErasedView& input,
                                     const ErasedView& result, const std::optional<Value>& init,
                                     const ReduceOptions& options = {});

/// Blocks, and returns the results of several reductions of one array, which is read once; up to 8,
/// whose accumulators have up to max_element_bytes bytes together. A floating sum has the bits of
/// reduce() where its accumulator is one of the widest, or all have up to 4 bytes. Throws
/// invalid_argument for none or too many reductions, an operator of the user's, an accumulator that
/// is no built-in number, or an init that the accumulator's type does not hold exactly; otherwise
/// errors as reduce().
BIFOLD_API std::vector<Value> reduce_many(Queue& queue, const ErasedView& input,
                                          const std::vector<Reduction>& reductions,
                                          const ReduceOptions& options = {});
/// Enqueues reduce_many() into one struct, whose fields are of the reductions' accumulators, in
/// their order. Throws invalid_argument for other fields.
BIFOLD_API void reduce_many_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                                 const std::vector<Reduction>& reductions,
                                 const ReduceOptions& options = {});

/// Blocks, and returns the least element of `input` and its index, which has 64 bits: NaN counts as
/// least of all, -0 as less than +0, and the first of equals is found. Of no elements, the identity
/// of `minimum` and no_index.
template <device_range R>
[[nodiscard]] Indexed<accumulator_t<range_value_t<R>>> argmin(Queue& queue, R&& input,
                                                              const ReduceOptions& options = {}) {
  return argmin(queue, erase(input), options)
      .template as<Indexed<accumulator_t<range_value_t<R>>>>();
}

/// Blocks, and returns the greatest element of `input` and its index: NaN counts as greatest of
/// all, +0 as greater than -0, and the first of equals is found. Of no elements, the identity of
/// `maximum` and no_index.
template <device_range R>
[[nodiscard]] Indexed<accumulator_t<range_value_t<R>>> argmax(Queue& queue, R&& input,
                                                              const ReduceOptions& options = {}) {
  return argmax(queue, erase(input), options)
      .template as<Indexed<accumulator_t<range_value_t<R>>>>();
}

/// Blocks, and returns the least and the greatest element of `input`, as by `minimum` and
/// `maximum`; of no elements, their identities.
template <device_range R>
[[nodiscard]] MinMax<accumulator_t<range_value_t<R>>> minmax(Queue& queue, R&& input,
                                                             const ReduceOptions& options = {}) {
  return minmax(queue, erase(input), options)
      .template as<MinMax<accumulator_t<range_value_t<R>>>>();
}

/// Blocks, and returns the number of elements x, of index i, for which the expression is not 0.
template <device_range R>
[[nodiscard]] std::uint64_t count_if(Queue& queue, R&& input, const Map& predicate,
                                     const ReduceOptions& options = {}) {
  return count_if(queue, erase(input), predicate, options);
}

/// Blocks, and returns the index of the first element x, of index i, for which the expression is
/// not 0.
template <device_range R>
[[nodiscard]] std::optional<std::uint64_t> find_if(Queue& queue, R&& input, const Map& predicate,
                                                   const ReduceOptions& options = {}) {
  return find_if(queue, erase(input), predicate, options);
}

/// Blocks, and returns whether the expression is not 0 for any element, or any element is not 0.
template <device_range R>
[[nodiscard]] bool any(Queue& queue, R&& input, const Map& predicate = {},
                       const ReduceOptions& options = {}) {
  return any(queue, erase(input), predicate, options);
}

/// Blocks, and returns whether it is not 0 for all elements.
template <device_range R>
[[nodiscard]] bool all(Queue& queue, R&& input, const Map& predicate = {},
                       const ReduceOptions& options = {}) {
  return all(queue, erase(input), predicate, options);
}

/// Blocks, and returns whether it is 0 for all elements.
template <device_range R>
[[nodiscard]] bool none(Queue& queue, R&& input, const Map& predicate = {},
                        const ReduceOptions& options = {}) {
  return none(queue, erase(input), predicate, options);
}

/// Blocks, and returns init plus the sum of the products of elements of one index, in init's type:
/// transform_reduce() of two arrays has other operators and maps.
template <device_range R, device_range S, element T>
  requires(builtin_element<T> || complex_element<T>)
[[nodiscard]] T inner_product(Queue& queue, R&& first, S&& second, T init,
                              const ReduceOptions& options = {}) {
  return inner_product(queue, erase(first), erase(second), Value(init), options).template as<T>();
}

/// Blocks, and returns init plus the compensated sum of `input`, in init's type.
template <device_range R, std::floating_point T>
[[nodiscard]] T sum_compensated(Queue& queue, R&& input, T init,
                                const ReduceOptions& options = {}) {
  return sum_compensated(queue, erase(input), Value(init), options).template as<T>();
}

/// Blocks, and returns the reductions of `input` by several built-in operators, in its own type
/// (accumulated in accumulator_t of it), from one reading: const auto [sum, low, high] =
/// reduce_many(queue, x, plus, minimum, maximum).
template <device_range R, operator_on<range_value_t<R>>... Ops>
  requires scalar_element<range_value_t<R>>
[[nodiscard]] std::array<range_value_t<R>, sizeof...(Ops)> reduce_many(Queue& queue, R&& input,
                                                                       Ops... ops) {
  using T = range_value_t<R>;
  const std::vector<Value> values = detail::guarded([&] {
    return reduce_many(queue, erase(input),
                       {Reduction{Operator(ops), type_of<accumulator_t<T>>()}...});
  });
  std::array<T, sizeof...(Ops)> results{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    results[i] = static_cast<T>(values[i].template as<accumulator_t<T>>());
  }
  return results;
}

/// @}

}  // namespace bifold
