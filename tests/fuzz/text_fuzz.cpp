// Operator and map texts: whatever they say, an Error names a column, or what a compiler gets to
// see has no word but those that bifold knows, and no more brackets in each other than compilers
// bear. The first byte picks the types.
#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/struct.hpp>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/operators/operator_text.hpp"
#include "core/text/expression_text.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_functions.hpp"
#include "core/text/text_types.hpp"

struct Fuzzed {
  float low;
  double high;
  std::int16_t count;
};
BIFOLD_STRUCT(Fuzzed, low, high, count);

namespace {

using bifold::Map;
using bifold::Operator;
using bifold::Type;

void demand(bool holds) {
  if (!holds) __builtin_trap();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_function(std::string_view word) {
  for (const bifold::core::TextFunction& function : bifold::core::text_functions()) {
    if (function.only && word == function.floating_name) return true;
    for (const Type type : bifold::all_types) {
      const std::string suffix = "_" + std::string(name_of(type));
      for (const std::string_view name : {function.integer_name, function.floating_name}) {
        if (!name.empty() && word == std::string(name) + suffix) return true;
      }
    }
  }
  return false;
}

bool is_known(std::string_view word) {
  constexpr std::array<std::string_view, 5> parameters{"a", "b", "x", "y", "i"};
  constexpr std::array<std::string_view, 3> fields{"low", "high", "count"};
  if (word.starts_with(bifold::core::field_prefix)) {
    word.remove_prefix(bifold::core::field_prefix.size());
    return std::find(fields.begin(), fields.end(), word) != fields.end();
  }
  return std::find(parameters.begin(), parameters.end(), word) != parameters.end() ||
         word == std::string(bifold::core::maker_prefix) + "Fuzzed" ||
         bifold::core::cast_type(word).has_value() || is_function(word);
}

void check(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit || (c == '.' && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)) {
      // A number, whose sign of an exponent follows an e.
      while (at < text.size() && (is_word(text[at]) || text[at] == '.' ||
                                  ((text[at] == '+' || text[at] == '-') &&
                                   (text[at - 1] == 'e' || text[at - 1] == 'E')))) {
        ++at;
      }
      continue;
    }
    if (is_word(c)) {
      std::size_t end = at;
      while (end < text.size() && is_word(text[end])) ++end;
      demand(is_known(text.substr(at, end - at)));
      at = end;
      continue;
    }
    demand(std::string_view(" +-*/%&|^~!<>=?:(),.").find(c) != std::string_view::npos);
    for (const std::string_view pair : {"++", "--", "//", "/*", "->", "::", "??", "+=", "-="}) {
      demand(!text.substr(at).starts_with(pair));
    }
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')') --depth;
    demand(depth >= 0);
    ++at;
  }
  demand(depth == 0 && deepest < 250);
}

template <class Body>
void written(const Body& body) {
  try {
    check(body());
  } catch (const bifold::Error& error) {
    const std::string_view what = error.what();
    demand(error.category() == bifold::ErrorCategory::invalid_argument);
    demand(what.find(", column ") != std::string_view::npos && what.size() < 1000);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::array<Type, 12> types{Type::i8,
                                          Type::i16,
                                          Type::i32,
                                          Type::i64,
                                          Type::u8,
                                          Type::u16,
                                          Type::u32,
                                          Type::u64,
                                          Type::f32,
                                          Type::f64,
                                          bifold::type_of<Fuzzed>(),
                                          bifold::type_of<Fuzzed>()};
  const Type type = types[data[0] % types.size()];
  const Type input = types[data[0] / types.size() % types.size()];
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  written([&] {
    const Operator op = Operator::user("fuzzed", text, type);
    return bifold::core::operator_text(op, type).text;
  });
  written([&] {
    const Map map(text);
    const std::array inputs{input, type, input, type};
    return bifold::core::map_text(map.expression(), inputs, type).text;
  });
  return 0;
}
