// Which definitions of a kernel's text its entry points reach.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::embed {

/// The text without functions and macros that no entry reaches, and without other entry points.
/// What a condition of the preprocessor leaves out counts as reached.
std::string live_text(std::string_view text, std::span<const std::string> entries);

/// The names of the functions that are left out there, in the text's order.
std::vector<std::string> unreached_functions(std::string_view text,
                                             std::span<const std::string> entries);

/// The names of the parts whose definitions no part or generated line behind them names. The last
/// part is the kernel's own.
std::vector<std::string> unused_parts(std::string_view text);

}  // namespace bifold::embed
