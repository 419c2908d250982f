// The functions that operator and map texts may call.
#pragma once

#include <bifold/type.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bifold::core {

/// What the value of a function is: of its arguments' common type, 0 or 1 as an i32, or the bits of
/// its argument.
enum class Gives : std::uint8_t { same, truth, bits };

/// A function of texts. Its arguments are brought to one type, as by an operator of C, but to
/// `only` where there is one. Kernels know it by a name for integers or for floating values, to
/// which the type's is added; it takes no values of a kind without a name.
struct TextFunction {
  std::string_view word;
  std::uint8_t arguments;
  std::string_view integer_name;
  std::string_view floating_name;
  Gives gives = Gives::same;
  std::optional<Type> only{};    ///< The type of its arguments; `floating_name` is whole then.
  std::optional<Type> result{};  ///< Where none of `gives` is.
};

/// Every function, in the order of the documents.
std::span<const TextFunction> text_functions();

/// The function of that name; null when there is none.
const TextFunction* find_text_function(std::string_view word);

/// Names of this beginning are those of the files "functions_*" in the kernel folders, one for each
/// kind of value. The others stand in files that texts have anyway.
inline constexpr std::string_view function_prefix = "text_";

}  // namespace bifold::core
