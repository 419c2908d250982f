// Plain text files whose first line is a format, the length and the checksum of the rest.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace bifold::core {

/// `text` with its line breaks as blanks.
std::string on_one_line(std::string_view text);

/// Takes what lies before the separator, and the separator, off the text.
std::string_view take(std::string_view& text, char separator);

/// The number that `text` is as a whole, or nothing.
template <class Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// The first line of a file with that body. `format` is a name and a version, "bifold-check 1".
std::string checked_header(std::string_view format, std::string_view body);

/// The text behind a first line that is right, or nothing.
std::optional<std::string_view> checked_body(std::string_view format, std::string_view text);

/// Takes the key, whole lines, off the body: the first line in which they differ, as
/// "driver 1" instead of "driver 2", or nothing. `line` goes up by the lines taken.
std::string foreign_part(std::string_view& body, std::string_view key, std::size_t& line);

/// Longer ones were never written.
inline constexpr std::uint64_t most_checked_bytes = std::uint64_t{1} << 20;

}  // namespace bifold::core
