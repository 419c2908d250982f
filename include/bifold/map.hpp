/// @file
/// Maps: functions of one element, written as text, in front of reductions and scans; and result
/// maps, functions of an accumulator behind them, with the outputs that these make.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/scalar.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifold {

/// @cond internal
namespace core {
struct KeptText;
struct MapMaker;
}  // namespace core
/// @endcond

/// @addtogroup types
/// @{

/// A function of an element, written once for every backend: an expression over `x`, such as
/// "x * x" or "make_Range(x, x)", in the language of docs/operators.md. It may name `i` too, the
/// element's index in the input, a u64 (rows of order v1 know it), and of several arrays `y`, `z`
/// and `w`, the others' elements of that index. Its value is converted to the accumulator's type,
/// or is of it when that is a struct. Elements of f16 and bf16 are f32 here. A cheap value: copies
/// share one immutable definition. The default one is the identity, and so is one that
/// was moved from.
class BIFOLD_API_CLASS Map {
 public:
  /// The identity.
  Map() noexcept = default;
  /// Throws invalid_argument, with the word and its column, for a text of more than 8192 characters
  /// or that is not one expression of its language. What its types are is known at the first use,
  /// where a text that does not fit them is invalid_argument, too.
  Map(std::string expression);  // NOLINT(google-explicit-constructor)
  /// The same.
  Map(const char* expression);  // NOLINT(google-explicit-constructor)
  /// The same, over scalars too: Map("x > limit", {{"limit", Type::f32}}). Throws invalid_argument
  /// for more than max_scalars, for two of one name, and for names that texts know already.
  Map(std::string expression, std::vector<ScalarType> scalars);

  /// Whether it leaves elements as they are, because it has no expression.
  [[nodiscard]] bool is_identity() const noexcept { return definition_ == nullptr; }
  /// The text, as given; empty for the identity.
  [[nodiscard]] std::string_view expression() const noexcept;
  /// What it names of a call's scalars.
  [[nodiscard]] std::span<const ScalarType> scalars() const noexcept;
  /// A hash of the definition, equal for equal maps; 0 for the identity.
  [[nodiscard]] std::uint64_t id() const noexcept;

  /// The same text and scalars.
  friend BIFOLD_API bool operator==(const Map& left, const Map& right) noexcept;

 private:
  /// @cond internal
  friend struct core::MapMaker;  // Of texts that were made of others'.
  /// @endcond
  std::shared_ptr<const core::KeptText> definition_;
};

/// What is stored of an accumulator: an expression over `s`, such as "s.sum / s.count", in the
/// language of docs/operators.md. Its value is converted to the result's or output's type once, or
/// is of it when that is a struct; to f16 and bf16 it is rounded from f32 or f64. A cheap value, as
/// a Map is. The default one stores the accumulator itself, and so does one that was moved from.
class BIFOLD_API_CLASS ResultMap {
 public:
  /// The accumulator itself.
  ResultMap() noexcept = default;
  /// Throws invalid_argument, with the word and its column, for a text of more than 8192 characters
  /// or that is not one expression of its language. What its types are is known at the first use,
  /// where a text that does not fit them is invalid_argument, too.
  ResultMap(std::string expression);  // NOLINT(google-explicit-constructor)
  /// The same.
  ResultMap(const char* expression);  // NOLINT(google-explicit-constructor)
  /// The same, over scalars too. Throws as a Map's.
  ResultMap(std::string expression, std::vector<ScalarType> scalars);

  /// Whether accumulators are stored as they are, because it has no expression.
  [[nodiscard]] bool is_identity() const noexcept { return definition_ == nullptr; }
  /// The text, as given; empty for the identity.
  [[nodiscard]] std::string_view expression() const noexcept;
  /// What it names of a call's scalars.
  [[nodiscard]] std::span<const ScalarType> scalars() const noexcept;
  /// A hash of the definition, equal for equal result maps; 0 for the identity.
  [[nodiscard]] std::uint64_t id() const noexcept;

  /// The same text and scalars.
  friend BIFOLD_API bool operator==(const ResultMap& left, const ResultMap& right) noexcept;

 private:
  std::shared_ptr<const core::KeptText> definition_;
};

/// @}

/// @addtogroup calls
/// @{

/// The most arrays that a call writes.
inline constexpr std::size_t max_outputs = 4;

/// An array that a call writes beside the one that it is given: `{indices, "s.index"}`.
struct Output {
  ErasedView view;         ///< As many elements, in a place of its own.
  ResultMap result_map{};  ///< Makes each element of an accumulator; without one, converts it.
};

/// @}
/// @addtogroup plans
/// @{

/// The same of a shape.
struct OutputShape {
  Type type = Type::i32;   ///< Of the elements written.
  ResultMap result_map{};  ///< Makes each element of an accumulator; without one, converts it.
};

/// @}

}  // namespace bifold
