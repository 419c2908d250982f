// Text of a driver or a document, fit for a line.
#pragma once

#include <string>
#include <string_view>

namespace bifold::core {

/// The text as UTF-8 without control characters, line separators, or blanks at its ends. A run of
/// blanks with one of those in it becomes one blank. A byte that is no UTF-8 becomes '?'.
std::string printable(std::string_view text);

}  // namespace bifold::core
