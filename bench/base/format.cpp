#include "base/format.hpp"

#include <array>
#include <bit>

namespace bench {
namespace {

/// Three significant digits of a value of at least 0.
std::string three_digits(double value) {
  if (value >= 99.95) return formatted("{:.0f}", value);
  if (value >= 9.995) return formatted("{:.1f}", value);
  if (value >= 0.9995) return formatted("{:.2f}", value);
  return formatted("{:.3f}", value);
}

}  // namespace

std::string count_text(std::uint64_t count) {
  if (count >= 1024 && std::has_single_bit(count)) {
    return formatted("2^{}", std::countr_zero(count));
  }
  std::string digits = std::to_string(count);
  for (std::size_t place = 3; place < digits.size(); place += 4) {
    digits.insert(digits.size() - place, 1, ',');
  }
  return digits;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return formatted("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
  return whole ? formatted("{:.0f} {}", value, units[unit])
               : formatted("{:.1f} {}", value, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 999.5e-9) return formatted("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string rate_text(double rate) { return three_digits(rate); }

std::string share_text(double rate, double limit) {
  return limit > 0 ? formatted("{:.0f} %", 100 * rate / limit) : "-";
}

std::string one_line(std::string_view text) {
  std::string line;
  bool broken = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      broken = !line.empty();
      continue;
    }
    if (broken && c != ' ') {
      line += "; ";
      broken = false;
    }
    if (!broken) line += c;
  }
  return line;
}

}  // namespace bench
