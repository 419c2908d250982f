// Text from fmt's format strings.
#pragma once

#include <fmt/format.h>

#include <string>

namespace bifold::core {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments);

/// fmt::format(). fmt comes from its headers alone, and every file that called it would compile
/// the whole of it, for three seconds: so format.cpp is the one that does.
template <class... Args>
std::string formatted(fmt::format_string<Args...> text, Args&&... arguments) {
  return format_arguments(text, fmt::make_format_args(arguments...));
}

}  // namespace bifold::core
