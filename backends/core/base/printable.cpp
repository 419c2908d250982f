#include "core/base/printable.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bifold::core {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  ///< 0: the text does not begin with UTF-8.
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto ones = static_cast<std::size_t>(std::countl_one(byte(0)));
  if (ones == 0) return {byte(0), 1};
  if (ones == 1 || ones > 4 || ones > text.size()) return {0, 0};
  std::uint32_t code = byte(0) & (0x7fU >> ones);
  for (std::size_t i = 1; i < ones; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {0, 0};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  // What a shorter sequence would have said, halves of pairs, and what is beyond Unicode.
  constexpr std::uint32_t least[]{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[ones] || surrogate || code > 0x10ffff ? Character{0, 0}
                                                            : Character{code, ones};
}

bool is_control(std::uint32_t code) {
  return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  std::size_t blanks = 0;  // That come next, unless the text ends here.
  bool controls = false;   // Among them.
  while (!text.empty()) {
    const Character next = first_of(text);
    const bool valid = next.bytes > 0;
    if (valid && (next.code == ' ' || is_control(next.code))) {
      ++blanks;
      controls = controls || next.code != ' ';
    } else {
      if (!result.empty()) result.append(controls ? 1 : blanks, ' ');
      blanks = 0;
      controls = false;
      result += valid ? text.substr(0, next.bytes) : std::string_view("?");
    }
    text.remove_prefix(valid ? next.bytes : 1);
  }
  return result;
}

}  // namespace bifold::core
