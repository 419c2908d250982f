#include "core/text/text_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/text_functions.hpp"

namespace bifold::core {

Type promoted(Type type) { return is_floating(type) || size_of(type) >= 4 ? type : Type::i32; }

Type common_type(Type left, Type right) {
  for (const Type type : {Type::f64, Type::f32}) {
    if (left == type || right == type) return type;
  }
  left = promoted(left);
  right = promoted(right);
  if (size_of(left) != size_of(right)) return size_of(left) > size_of(right) ? left : right;
  return is_signed(left) ? right : left;
}

unsigned strength_of(std::string_view symbol) {
  if (symbol.empty()) return 0;
  if (symbol == "||") return 1;
  if (symbol == "&&") return 2;
  if (symbol == "|") return 3;
  if (symbol == "^") return 4;
  if (symbol == "&") return 5;
  if (symbol == "==" || symbol == "!=") return 6;
  if (symbol == "<<" || symbol == ">>") return 8;
  if (symbol.front() == '<' || symbol.front() == '>') return 7;
  if (symbol == "+" || symbol == "-") return 9;
  return symbol == "*" || symbol == "/" || symbol == "%" ? 10 : 0;
}

bool is_of_integers(std::string_view symbol) {
  return symbol == "%" || symbol == "&" || symbol == "|" || symbol == "^" || symbol == "~" ||
         symbol == "<<" || symbol == ">>";
}

std::optional<Type> cast_type(std::string_view word) {
  const std::optional<Type> type = parse_type(word);
  return type && !is_storage(*type) ? type : std::nullopt;
}

std::string_view word_instead(std::string_view word) {
  using Pair = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Pair, 21> known{
      {{"char", "i8"},      {"short", "i16"},       {"int", "i32"},
       {"long", "i64"},     {"uchar", "u8"},        {"ushort", "u16"},
       {"uint", "u32"},     {"ulong", "u64"},       {"unsigned", "u32"},
       {"float", "f32"},    {"double", "f64"},      {"int8_t", "i8"},
       {"int16_t", "i16"},  {"int32_t", "i32"},     {"int64_t", "i64"},
       {"uint8_t", "u8"},   {"uint16_t", "u16"},    {"uint32_t", "u32"},
       {"uint64_t", "u64"}, {"as_uint", "bits_of"}, {"as_float", "f32_of_bits"}}};
  const auto* const found = std::find_if(known.begin(), known.end(),
                                         [word](const Pair& one) { return one.first == word; });
  if (found != known.end()) return found->second;
  if (!word.ends_with('f')) return {};
  const TextFunction* function = find_text_function(word.substr(0, word.size() - 1));
  return function != nullptr ? function->word : std::string_view();
}

}  // namespace bifold::core
