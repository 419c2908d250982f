#include "core/accumulation/saved_state.hpp"

#include <array>
#include <bifold/error.hpp>
#include <bit>
#include <string>
#include <string_view>

#include "core/base/hash.hpp"

namespace bifold::core {

namespace {

// Elements and accumulators are saved as they lie in memory.
static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "bifoldAc";

// Words in front of values and elements, behind the magic.
enum Word : std::size_t { checksum, length, first_term };
constexpr std::size_t count_at = first_term + term_count;
constexpr std::size_t values_at = count_at + 1;
constexpr std::size_t elements_at = values_at + 1;
constexpr std::size_t header_bytes = magic.size() + 8 * (elements_at + 1);
constexpr std::size_t summed_from = magic.size() + 8;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "the saved state " + why);
}

void write(std::span<std::byte> bytes, std::size_t word, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[magic.size() + 8 * word + i] = static_cast<std::byte>(value >> 8 * i);
  }
}

std::uint64_t read(std::span<const std::byte> bytes, std::size_t word) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[magic.size() + 8 * word + i]) << 8 * i;
  }
  return value;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::uint64_t saved_version() noexcept {
  constexpr std::uint64_t layout = 1;
  constexpr std::uint64_t order = 1;
  return layout << 32 | order;
}

std::vector<std::byte> encode(const SavedState& state) {
  std::vector<std::byte> bytes;
  bytes.reserve(header_bytes + state.values.size() + state.elements.size());
  for (const char letter : magic) bytes.push_back(static_cast<std::byte>(letter));
  bytes.resize(header_bytes);
  bytes.insert(bytes.end(), state.values.begin(), state.values.end());
  bytes.insert(bytes.end(), state.elements.begin(), state.elements.end());
  write(bytes, length, bytes.size());
  for (std::size_t term = 0; term < term_count; ++term) {
    write(bytes, first_term + term, state.terms.at(term));
  }
  write(bytes, count_at, state.n);
  write(bytes, values_at, state.values.size());
  write(bytes, elements_at, state.elements.size());
  write(bytes, checksum, hash(text_of(std::span(bytes).subspan(summed_from))));
  return bytes;
}

SavedState decode(std::span<const std::byte> saved, const Terms& terms) {
  if (saved.size() < header_bytes || text_of(saved.first(magic.size())) != magic) {
    refuse("is none of an accumulation");
  }
  SavedState state;
  if (read(saved, length) != saved.size()) {
    refuse("has " + std::to_string(saved.size()) + " bytes of " +
           std::to_string(read(saved, length)));
  }
  if (read(saved, checksum) != hash(text_of(saved.subspan(summed_from)))) refuse("is damaged");
  for (std::size_t i = 0; i < term_count; ++i) {
    const auto term = static_cast<Term>(i);
    state.terms.at(i) = read(saved, first_term + i);
    if (state.terms.at(i) == terms.at(i)) continue;
    refuse(term == Term::version
               ? "is of another version"
               : "is of another accumulation: " + std::string(name_of(term)) + (" differs"));
  }
  state.n = read(saved, count_at);
  const std::span<const std::byte> rest = saved.subspan(header_bytes);
  const std::uint64_t values = read(saved, values_at);
  if (values > rest.size() || read(saved, elements_at) != rest.size() - values) {
    refuse("has a wrong number of values or elements");
  }
  state.values.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(values));
  state.elements.assign(rest.begin() + static_cast<std::ptrdiff_t>(values), rest.end());
  return state;
}

}  // namespace bifold::core
