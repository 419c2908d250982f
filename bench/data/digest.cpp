#include "data/digest.hpp"

#include <cstring>

#include "base/format.hpp"
#include "data/host_data.hpp"
#include "data/structs.hpp"

namespace bench {
namespace {

/// Where the exponent's bits lie in a floating word; no bits for an integer.
struct Layout {
  std::uint64_t exponent = 0;
  std::uint64_t mantissa = 0;
};

Layout layout_of(bifold::Type type) {
  if (type == bifold::Type::f64) return {0x7ff0'0000'0000'0000, 0x000f'ffff'ffff'ffff};
  if (type == bifold::Type::f32) return {0x7f80'0000, 0x007f'ffff};
  if (type == bifold::Type::f16) return {0x7c00, 0x03ff};
  if (type == bifold::Type::bf16) return {0x7f80, 0x007f};
  return {};
}

template <class Word>
std::uint64_t sum_of(const std::byte* elements, std::uint64_t count, std::uint64_t first,
                     Layout layout) {
  const std::uint64_t quiet = layout.exponent | ((layout.mantissa + 1) >> 1);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, elements + i * sizeof(Word), sizeof word);
    std::uint64_t bits = word;
    const bool nan = layout.exponent != 0 && (bits & layout.exponent) == layout.exponent &&
                     (bits & layout.mantissa) != 0;
    if (nan) bits = quiet;
    sum += random_word(random_word(first + i) ^ bits);
  }
  return sum;
}

}  // namespace

Digest::Digest(std::uint64_t first, bifold::Type type)
    : taken_(first * (bifold::size_of(type) / bifold::size_of(field_type(type)))) {}

void Digest::add(const std::byte* elements, std::uint64_t count, bifold::Type type) {
  const bifold::Type field = field_type(type);
  const std::uint64_t words = count * (bifold::size_of(type) / bifold::size_of(field));
  const Layout layout = layout_of(field);
  switch (bifold::size_of(field)) {
    case 1: sum_ += sum_of<std::uint8_t>(elements, words, taken_, layout); break;
    case 2: sum_ += sum_of<std::uint16_t>(elements, words, taken_, layout); break;
    case 4: sum_ += sum_of<std::uint32_t>(elements, words, taken_, layout); break;
    default: sum_ += sum_of<std::uint64_t>(elements, words, taken_, layout); break;
  }
  taken_ += words;
}

std::string digest_text(std::uint64_t digest) { return formatted("{:016x}", digest); }

}  // namespace bench
