// Scalars that texts declare.
#pragma once

#include <bifold/scalar.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/text_writer.hpp"

namespace bifold::core {

/// Throws invalid_argument for scalars that a text of that subject cannot have beside `operands`.
void check_scalars(std::string_view subject, std::span<const ScalarType> scalars,
                   std::span<const std::string_view> operands);

/// Adds scalars to what a text may name, and their structs to what it may make.
void add_scalars(TextScope& scope, std::span<const ScalarType> scalars);

/// Has them refer to the library's copies of structs' definitions.
void keep_types(std::vector<ScalarType>& scalars);

/// A hash that goes on from another; that one where there are no scalars.
std::uint64_t hash_of(std::span<const ScalarType> scalars, std::uint64_t from);

/// Whether both declare the same ones in the same order.
bool same_scalars(std::span<const ScalarType> left, std::span<const ScalarType> right) noexcept;

/// Adds scalars of one text to those of others. Throws invalid_argument where one name has two
/// types.
void merge_scalars(std::vector<ScalarType>& all, std::span<const ScalarType> scalars);

}  // namespace bifold::core
