// What kernels call the names that users chose. Each begins with a word of its own, with which no
// name of a kernel, of either language or of a compiler begins; so none can be one of those.
#pragma once

#include <bifold/type.hpp>
#include <string>
#include <string_view>

namespace bifold::core {

/// The beginnings of all such names.
inline constexpr std::string_view struct_prefix = "userstruct_";
inline constexpr std::string_view field_prefix = "userfield_";
inline constexpr std::string_view maker_prefix = "usermake_";
inline constexpr std::string_view layout_prefix = "userlayout_";
inline constexpr std::string_view scalar_prefix = "userscalar_";
/// The scalars of a call: the struct, and what every function that needs them calls it.
inline constexpr std::string_view scalars_type = "UserScalars";
inline constexpr std::string_view scalars_word = "userscalars";

/// The scalar of that name, where the struct is at hand.
std::string scalar_word(std::string_view name);

/// A type: a struct's own name, or that of a built-in one.
std::string kernel_name(Type type);

/// Defines a struct with a check that this compiler lays it out as the host's did, and what makes
/// one of its fields.
void append_struct(std::string& text, Type type);

/// A value as an expression; its bits, so that NaN, -0 and infinity are meant.
std::string kernel_value(Type type, const std::byte* value);

/// The built-in unsigned type of a built-in type's size.
std::string_view unsigned_of(Type type);

}  // namespace bifold::core
