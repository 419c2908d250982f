// Numbers and messages as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

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
