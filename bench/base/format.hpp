// Numbers and messages as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/standard_output.hpp"
#include "core/base/format.hpp"

namespace bench {

using bifold::core::formatted;

/// A formatted text to the standard output, as write_text() does it.
template <class... Args>
void print_text(fmt::format_string<Args...> text, Args&&... arguments) {
  write_text(formatted(text, std::forward<Args>(arguments)...));
}

/// The same to the standard error. What cannot be said there is left unsaid.
template <class... Args>
void print_error(fmt::format_string<Args...> text, Args&&... arguments) {
  write_error(formatted(text, std::forward<Args>(arguments)...));
}

/// "a, b, c" of the texts in `range`.
template <class Range>
std::string joined(const Range& range, std::string_view separator) {
  std::string result;
  for (const auto& text : range) {
    if (&text != &*std::begin(range)) result += separator;
    result += text;
  }
  return result;
}

/// "2^20" for powers of two from 2^10 on, else "5,533,214".
std::string count_text(std::uint64_t count);
/// "64 B", "1.5 MiB", "139.8 GiB".
std::string bytes_text(std::uint64_t bytes);
/// "950 ns", "12.3 us", "4.56 ms", "1.23 s".
std::string seconds_text(double seconds);
/// Three significant digits without an exponent: "0.123", "12.3", "4290".
std::string rate_text(double rate);
/// "85 %", or "-" when the limit is not known (0).
std::string share_text(double rate, double limit);
/// `text` with its line breaks as "; ", so that a message stays on one line.
std::string one_line(std::string_view text);

}  // namespace bench
