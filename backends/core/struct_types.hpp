// Struct types that are made at run time.
#pragma once

#include <bifold/type.hpp>
#include <cstddef>
#include <span>
#include <string_view>

namespace bifold::core {

/// No struct made at run time has more.
inline constexpr std::size_t max_struct_fields = 8;

/// A number for the struct of these fields. A type must outlive all that was ever made with it,
/// kernels kept by a device included, so the definition stays for the life of the process; equal
/// ones are kept once. Throws invalid_argument for names that are no identifiers, and for a layout
/// other than C's, which kernel texts repeat.
std::size_t keep_struct(std::string_view name, std::size_t size,
                        std::span<const StructField> fields);

/// The struct of that number; null when there is none.
const StructType* kept_struct(std::size_t number);

}  // namespace bifold::core
