#include "base/sizes.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/usage_error.hpp"

namespace bench {
namespace {

constexpr std::string_view sizes_option = "--size";

std::optional<std::uint64_t> parse_digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// base * factor, or nothing when that is more than the largest size.
std::optional<std::uint64_t> scaled(std::uint64_t base, std::uint64_t factor) {
  if (factor != 0 && base > largest_size / factor) return {};
  return base * factor;
}

std::optional<std::uint64_t> parse_power(std::string_view base, std::string_view exponent) {
  const auto b = parse_digits(base);
  const auto e = parse_digits(exponent);
  if (!b || !e || *e > 60) return {};
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < *e; ++i) {
    const auto next = scaled(value, *b);
    if (!next) return {};
    value = *next;
  }
  return value;
}

}  // namespace

std::uint64_t parse_size(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 3> suffixes{
      {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}}};
  std::string_view number = text;
  std::uint64_t factor = 1;
  for (const auto& [suffix, shift] : suffixes) {
    if (text.ends_with(suffix)) {
      factor = std::uint64_t{1} << shift;
      number.remove_suffix(suffix.size());
    }
  }
  const auto caret = number.find('^');
  auto value = caret == std::string_view::npos
                   ? parse_digits(number)
                   : parse_power(number.substr(0, caret), number.substr(caret + 1));
  if (value) value = scaled(*value, factor);
  if (!value || *value == 0 || *value > largest_size) {
    throw UsageError(
        formatted("{}: '{}' is no element count from 1 to 2^56 (write 1000, 2^20 or 64Ki{})",
                  option, text, option == sizes_option ? ", or 2^10..2^30:4" : ""));
  }
  return *value;
}

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return {parse_size(sizes_option, text)};

  std::string_view last = text.substr(dots + 2);
  std::uint64_t factor = 4;
  if (const auto colon = last.find(':'); colon != std::string_view::npos) {
    const auto given = parse_digits(last.substr(colon + 1));
    if (!given || *given < 2 || *given > largest_size) {
      throw UsageError(formatted("--size: the step of '{}' is no factor of 2 or more", text));
    }
    factor = *given;
    last = last.substr(0, colon);
  }
  const std::uint64_t low = parse_size(sizes_option, text.substr(0, dots));
  const std::uint64_t high = parse_size(sizes_option, last);
  if (high < low) throw UsageError(formatted("--size: the range '{}' is empty", text));
  std::vector<std::uint64_t> sizes{low};
  while (sizes.back() <= high / factor) sizes.push_back(sizes.back() * factor);
  return sizes;
}

}  // namespace bench
