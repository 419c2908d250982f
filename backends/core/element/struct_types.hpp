// Definitions of structs, which the library keeps.
#pragma once

#include <bifold/type.hpp>
#include <cstddef>
#include <optional>

namespace bifold::core {

/// A number for a struct of that definition, the same one for equal definitions. Throws
/// invalid_argument for a definition that is not as StructType says.
std::size_t number_of_struct(const StructType& definition);

/// The struct of that number.
std::optional<Type> struct_of_number(std::size_t number) noexcept;

/// The type on the library's copy of its definition: what is kept beyond a call refers to no other.
/// A constant of the program's may refer to a definition that goes when code is unloaded.
inline Type kept(Type type) { return type.is_struct() ? Type(*type.structure()) : type; }

}  // namespace bifold::core
