// $BIFOLD_DISABLE: a comma-separated list of rows of the gallery that production must not pick.
#pragma once

#include <string_view>

namespace bifold::core {

/// Whether the list names the row.
bool is_disabled(std::string_view row);

/// Logs a warning for each name in the list that no row has.
void warn_of_unknown_rows();

}  // namespace bifold::core
