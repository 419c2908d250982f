// The gallery's rows with what only the library sees of them.
#pragma once

#include <bifold/gallery.hpp>
#include <cstdint>
#include <string_view>

#include "core/plan/row.hpp"

namespace bifold::core {

/// The row of that name. Throws invalid_argument.
const gallery::Variant& row_named(Algorithm algorithm, std::string_view name);

/// How a row of gallery::variants() is made.
const Recipe& recipe_of(const gallery::Variant& variant);

/// Both in one value.
Row row_of(const gallery::Variant& variant);

/// Its position in the table.
std::uint16_t index_of(const gallery::Variant& variant);

}  // namespace bifold::core
