// Operator and map texts: what they may say, what is refused with its word and column, and what
// kernels get to see of them.
#include "core/operators/operator_text.hpp"

#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/struct.hpp>
#include <regex>
#include <string>
#include <vector>

#include "core/text/expression_text.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_functions.hpp"
#include "support/errors.hpp"
#include "support/source_tree.hpp"

namespace app {
struct Span {
  float low;
  float high;
  std::int16_t count;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Span, Span, low, high, count);

namespace bifold {

using test::Failure;
using test::failure_of;

namespace {

struct Refused {
  std::string text;
  std::size_t column;
  std::string words;
};

/// The error is one line that names the text and the column once each.
void check_refused(const Refused& refused, const Failure& failure, const std::string& subject) {
  CAPTURE(refused.text);
  CAPTURE(failure.what);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.what.starts_with(subject + ": \"" + refused.text + "\", column " +
                                 std::to_string(refused.column) + ": "));
  CHECK(failure.mentions(refused.words));
  CHECK(failure.what.find("column", failure.what.find("column ") + 1) == std::string::npos);
}

Failure operator_failure(const std::string& text, Type type) {
  return failure_of([&] { (void)Operator::user("mine", text, type); });
}

std::string written(const std::string& text, Type type) {
  return core::operator_text(Operator::user("mine", text, type), type).text;
}

core::WrittenText map_written(const std::string& text, Type input, Type accumulator,
                              std::optional<Type> second = {}) {
  std::vector<Type> inputs{input};
  if (second) inputs.push_back(*second);
  return core::map_text(text, inputs, accumulator);
}

/// The text with x and y for a and b.
std::string as_map(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("\\ba\\b"), "x"),
                            std::regex("\\bb\\b"), "y");
}

std::string chain(std::size_t length) {
  std::string text = "a";
  while (text.size() + 4 <= length) text += " + b";
  return text;
}

std::string nested(unsigned levels, const char* open, const char* close) {
  std::string text = "a";
  for (unsigned i = 0; i < levels; ++i) text.insert(0, open) += close;
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("operator");

TEST_CASE("a text that is no expression is refused at its column") {
  for (const Refused& refused : std::vector<Refused>{
           {"", 1, "empty"},
           {"   ", 4, "empty"},
           {"(a + b", 1, "unbalanced '('"},
           {"a + b)", 6, "unbalanced ')'"},
           {"a + ", 5, "an operand is missing"},
           {"a b", 3, "\"b\" is not expected"},
           {"a + b; a", 6, "';' is not allowed"},
           {"#a", 1, "'#' is not allowed"},
           {"a[b]", 2, "'[' is not allowed"},
           {"{ a }", 1, "'{' is not allowed"},
           {"a + \"b\"", 5, "'\"' is not allowed"},
           {"a + 'b'", 5, "''' is not allowed"},
           {"a + b\\", 6, "is not allowed"},
           {"a /* b */", 3, "\"/*\" is not allowed"},
           {"a + b // later", 7, "\"//\" is not allowed"},
           {"a++ + b", 2, "\"++\" is not allowed"},
           {"a--b", 2, "\"--\" is not allowed"},
           {"a->b", 2, "\"->\" is not allowed"},
           {"::a", 1, "\"::\" is not allowed"},
           {"a = b", 3, "assignments"},
           {"a += b", 4, "assignments"},
           {"a <<= b", 5, "assignments"},
           {"a === b", 5, "assignments"},
           {"a, b", 2, "comma"},
           {"(a, b)", 3, "comma"},
           {"a ? b", 3, "has no ':'"},
           {"a : b", 3, "\":\" is not expected"},
           {"a ?? b", 4, "\"?\" is not expected"},
           {"*a", 1, "pointers"},
           {"a + &b", 5, "pointers"},
           {"a && &b", 6, "pointers"},
           {"()", 2, "not expected"},
           {"a.", 3, "field is missing"},
           {"a + \n", 5, ""},
       }) {
    Refused expected = refused;
    const Failure failure = operator_failure(refused.text, Type::i32);
    for (char& c : expected.text) c = c == '\n' ? '?' : c;
    check_refused(expected, failure, "operator mine");
    const Failure of_map = failure_of([&] { (void)Map(as_map(refused.text)); });
    CHECK(of_map.category == ErrorCategory::invalid_argument);
    CHECK(of_map.mentions("column " + std::to_string(refused.column)));
  }
}

TEST_CASE("only a text's own words are known") {
  for (const Refused& refused : std::vector<Refused>{
           {"a + c", 5, "\"c\" is no word of texts, which know a, b, fields"},
           {"a + x", 5, "\"x\" is no word"},
           {"COMBINE(a, b)", 1, "\"COMBINE\" is no word"},
           {"a + IDENTITY", 5, "\"IDENTITY\" is no word"},
           {"VALUE_OF(a)", 1, "\"VALUE_OF\" is no word"},
           {"bits_of_i32(a)", 1, "\"bits_of_i32\" is no word"},
           {"mapped(a)", 1, "\"mapped\" is no word"},
           {"get_global_id(0)", 1, "\"get_global_id\" is no word"},
           {"threadIdx.x", 1, "\"threadIdx\" is no word"},
           {"sizeof(a)", 1, "\"sizeof\" is no word"},
           {"fabsf(a)", 1, "write \"fabs\""},
           {"(float)a", 2, "write \"f32\""},
           {"(unsigned)a", 2, "write \"u32\""},
           {"as_float(a)", 1, "write \"f32_of_bits\""},
           {"(f16)a", 2, "f16 is a type of elements"},
           {"i64(a)", 1, "stands in casts only"},
           {"a + f32", 5, "stands in casts only"},
           {"a + max", 5, "\"max\" is a function"},
           {"max(a)", 1, "max takes 2 arguments, and here 1"},
           {"abs(a, b)", 1, "abs takes 1 argument, and here 2"},
           {"a(b)", 2, "\"(\" is not expected"},
           {"make_Span(a, b, 1)", 1, "makes no struct"},
           {"make_(a)", 1, "makes no struct"},
       }) {
    check_refused(refused, operator_failure(refused.text, Type::i32), "operator mine");
  }
  for (const Refused& refused :
       std::vector<Refused>{{"x + nowhere", 5, "know x, y, z, w, i, fields"},
                            {"mapped(x)", 1, "\"mapped\" is no word"},
                            {"LIFT(x)", 1, "\"LIFT\" is no word"},
                            {"a", 1, "\"a\" is no word"}}) {
    check_refused(refused, failure_of([&] { (void)Map(refused.text); }), "map");
  }
}

TEST_CASE("types are those of C, and what does not fit them is refused") {
  const Type span = type_of<app::Span>();
  const std::vector<std::pair<Type, Refused>> cases{
      {Type::f32, {"a & b", 3, "\"&\" takes integers, and here is f32 and f32"}},
      {Type::f32, {"a % 2", 3, "\"%\" takes integers"}},
      {Type::f32, {"a + ~b", 5, "\"~\" takes integers"}},
      {Type::i32, {"a << 1.0f", 3, "\"<<\" takes integers"}},
      {Type::i32, {"sqrt(a)", 1, "sqrt takes values of f32 or f64"}},
      {Type::f32, {"popcount(a)", 1, "popcount takes integers"}},
      {Type::f32, {"f32_of_bits(a)", 1, "f32_of_bits takes integers"}},
      {Type::f32, {"a.x", 3, "\"x\" would be a field, and f32 has none"}},
      {span, {"a + b", 3, "\"+\" takes numbers, and here is Span and Span"}},
      {span, {"a.left", 3, "\"left\" is no field of Span"}},
      {span, {"a.low", 1, "its value is of f32 where Span is wanted"}},
      {span, {"a == b ? a : b", 3, "\"==\" takes numbers"}},
      {span, {"a.low < 1 ? a : 1", 11, "values of one type"}},
      {span, {"a ? a : b", 3, "\"?\" takes numbers"}},
      {span, {"make_Span(a.low, b.high)", 1, "Span has 3 fields, and here are 2 values"}},
      {span, {"make_Span(a, b.high, 1)", 1, "takes numbers"}},
      {span, {"make_Other(a.low, b.high, 1)", 1, "makes no struct"}},
      {span, {"(f32)a", 1, "no number to cast"}},
      {span, {"!a", 1, "takes numbers"}},
  };
  for (const auto& [type, refused] : cases) {
    check_refused(refused, operator_failure(refused.text, type), "operator mine");
  }
  const auto map_failure = [&](const std::string& text, Type input, Type accumulator) {
    return failure_of([&] { (void)map_written(text, input, accumulator); });
  };
  check_refused({"x + y", 5, "the map names y, an element of a second array"},
                map_failure("x + y", Type::f32, Type::f32), "map");
  check_refused({"x.bits", 3, "f32 has none"}, map_failure("x.bits", Type::f16, Type::f32), "map");
  check_refused({"x", 1, "its value is of f32 where Span is wanted"},
                map_failure("x", Type::f32, span), "map");
}

TEST_CASE("numbers are those of C, with one meaning everywhere") {
  for (const Refused& refused : std::vector<Refused>{
           {"a + 017", 5, "octal"},
           {"a + 0b1", 5, "no number"},
           {"a + 0x", 5, "no number"},
           {"a + 0x1p3", 5, "no number"},
           {"a + 0x1.8p3f", 5, "no number"},
           {"a + 1f", 5, "no number"},
           {"a + 1.5l", 5, "no number"},
           {"a + 1.5.5", 5, "no number"},
           {"a + 1e", 5, "no number"},
           {"a + 1e+", 5, "no number"},
           {"a + 1uu", 5, "no number"},
           {"a + 1_k", 5, "no number"},
           {"a + 1e999", 5, "fits no f64"},
           {"a + 1e39f", 5, "fits no f32"},
           {"a + 9223372036854775808", 5, "fits no i64"},
           {"a + 18446744073709551616u", 5, "fits no u64"},
       }) {
    check_refused(refused, operator_failure(refused.text, Type::i64), "operator mine");
  }
  const auto of = [](const std::string& text) {
    const core::WrittenText map = map_written(text, Type::i32, Type::i64);
    return std::pair(map.text, *map.type);
  };
  CHECK(of("12") == std::pair<std::string, Type>("12", Type::i32));
  CHECK(of("0xffff") == std::pair<std::string, Type>("0xffff", Type::i32));
  CHECK(of("0xffffffff") == std::pair<std::string, Type>("0xffffffffu", Type::u32));
  CHECK(of("3U") == std::pair<std::string, Type>("3u", Type::u32));
  CHECK(of("2147483648") == std::pair<std::string, Type>("((i64)2147483648)", Type::i64));
  CHECK(of("1L") == std::pair<std::string, Type>("((i64)1)", Type::i64));
  CHECK(of("1ull") == std::pair<std::string, Type>("((u64)1u)", Type::u64));
  CHECK(of("1.5f") == std::pair<std::string, Type>("1.5f", Type::f32));
  CHECK(of("1.") == std::pair<std::string, Type>("1.", Type::f64));
  CHECK(of(".5e-3") == std::pair<std::string, Type>(".5e-3", Type::f64));
  CHECK(of("1e5F") == std::pair<std::string, Type>("1e5F", Type::f32));
  CHECK(of("true") == std::pair<std::string, Type>("1", Type::i32));
}

TEST_CASE("functions are chosen by the types of their arguments, which kernels see") {
  CHECK(written("max(a, 0)", Type::i64) == "text_max_i64(a, (i64)(0))");
  CHECK(written("max(a, b)", Type::u8) == "text_max_i32((i32)(a), (i32)(b))");
  CHECK(written("min(a, 1u)", Type::i32) == "text_min_u32((u32)(a), 1u)");
  CHECK(written("abs(a) + fabs(b)", Type::f32) == "text_abs_f32(a) + text_abs_f32(b)");
  CHECK(written("pow(a, 2)", Type::f64) == "text_pow_f64(a, (f64)(2))");
  CHECK(written("minimum(a, b)", Type::f32) == "minimum_f32(a, b)");
  CHECK(written("minimum(a, b)", Type::i16) == "text_min_i32((i32)(a), (i32)(b))");
  CHECK(written("minimum_f32(a, b)", Type::f64) == "minimum_f32((f32)(a), (f32)(b))");
  CHECK(written("isnan(a) ? b : a", Type::f32) == "text_isnan_f32(a) ? b : a");
  CHECK(written("f32_of_bits(bits_of(a) ^ 0x80000000)", Type::f32) ==
        "f32_of_bits(bits_of_f32(a) ^ 0x80000000u)");
  CHECK(written("a ? a : b", Type::f32) == "((a) != 0) ? a : b");
  CHECK(written("!a && b", Type::f64) == "!((a) != 0) && ((b) != 0)");
  CHECK(written("a- -b - - -b", Type::i32) == "a - -b - - -b");
  CHECK(written("make_Span(min(a.low, b.low), max(a.high, b.high), a.count + b.count)",
                type_of<app::Span>()) ==
        "usermake_Span(text_min_f32(a.userfield_low, b.userfield_low), "
        "text_max_f32(a.userfield_high, b.userfield_high), a.userfield_count + b.userfield_count)");
}

TEST_CASE("what a text uses is known of it") {
  const auto use = [](const std::string& text, Type input) {
    return map_written(text, input, Type::f32);
  };
  CHECK(use("x * 0.5", Type::f32).has_f64);
  CHECK(use("(f32)(f64)x", Type::f32).has_f64);
  CHECK_FALSE(use("x * 0.5f", Type::f32).has_f64);
  CHECK(use("x / 3", Type::f32).divides_f32);
  CHECK(use("x / 3.0f", Type::i32).divides_f32);
  CHECK(use("sqrt((f32)x)", Type::i32).divides_f32);
  CHECK_FALSE(use("x / 3", Type::i32).divides_f32);
  CHECK_FALSE(use("x / 3.0", Type::i32).divides_f32);
  CHECK(use("max(x, 1)", Type::i32).integer_functions);
  CHECK(use("max(x, 1)", Type::f32).f32_functions);
  CHECK(use("max(x, 1.0)", Type::f32).f64_functions);
  const core::WrittenText none = use("minimum(x, 1.0f)", Type::f32);
  CHECK_FALSE((none.integer_functions || none.f32_functions || none.f64_functions));
}

TEST_CASE("a message quotes the first characters of a long word or number") {
  std::string dots;
  while (dots.size() < 8000) dots += ".4yx";
  for (const std::string& word : {std::string(8000, 'k'), std::string(8000, '7'), dots}) {
    const Failure failure = operator_failure("a " + word, Type::u32);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(word.substr(0, 59) + "..."));
    CHECK(failure.what.size() < 400);
  }
}

TEST_CASE("length and nesting end where the documents say") {
  CHECK_NOTHROW((void)Operator::user("long", chain(8191), Type::u32));
  CHECK_NOTHROW((void)Map(std::string(8191, ' ') + "x"));
  for (const std::size_t length : {std::size_t{8193}, std::size_t{128} << 10}) {
    const Failure failure = operator_failure(chain(length) + std::string(8, ' '), Type::u32);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("a text has at most 8192"));
    CHECK(failure.mentions("column 8193"));
    CHECK(failure.what.size() < 300);
    CHECK(failure_of([&] { (void)Map(std::string(length, 'x')); }).mentions("at most 8192"));
  }
  const std::vector<std::pair<const char*, const char*>> levels{
      {"(", ")"},       {"-", ""},        {"(i64)", ""}, {"max(b, ", ")"},
      {"b ? b : ", ""}, {"b ? ", " : b"}, {"! ", ""},    {"make_Span(1, ", ", 1)"}};
  for (const auto& [open, close] : levels) {
    CAPTURE(std::string(open));
    const bool signs = std::string(open) == "-";
    const bool makes = std::string(open).starts_with("make");
    const std::string gap = signs ? "- " : open;
    if (!makes)
      CHECK_NOTHROW((void)Operator::user("deep", nested(64, gap.c_str(), close), Type::i64));
    const std::string deeper = nested(65, gap.c_str(), close);
    const std::string words = "more than 64 expressions stand in each other";
    CHECK(operator_failure(deeper, Type::i64).mentions(words));
    CHECK(failure_of([&] { (void)Map(as_map(deeper)); }).mentions(words));
  }
}

TEST_CASE("texts that bifold puts in brackets may be as long and deep as users' may be") {
  const std::string longest = as_map(chain(8191));
  CHECK_NOTHROW((void)map_written("(" + longest + ") ? 1 : 0", Type::u32, Type::u64, Type::u32));
  const std::string deepest = as_map(nested(64, "(", ")"));
  CHECK_NOTHROW((void)map_written("(" + deepest + ") ? 1 : 0", Type::u32, Type::u64, Type::u32));
}

TEST_CASE("operators of bifold's own are texts as users write them") {
  const Type indexed = type_of<Indexed<float>>();
  const Operator& least = argmin_operator(Type::f32);
  REQUIRE(least.supports(indexed));
  CHECK_NOTHROW((void)Operator::user("least", least.expression(indexed), indexed));
  const Type sum = type_of<CompensatedSum<double>>();
  const Operator& exact = compensated_operator(Type::f64);
  CHECK_NOTHROW((void)Operator::user("exact", exact.expression(sum), sum));
  const Type span = type_of<app::Span>();
  const Operator fields = Operator::fieldwise(span, {minimum, maximum, plus});
  CHECK_NOTHROW((void)Operator::user("fields", fields.expression(span), span));
}

TEST_CASE("no word of a kernel begins as users' names do, and both folders have all functions") {
  for (const char* folder : {"kernels_cl", "kernels_cu"}) {
    std::string functions;
    for (const auto& file : test::source_files(folder, {".cl", ".cu"})) {
      INFO(file.path);
      for (const std::string_view prefix :
           {core::struct_prefix, core::field_prefix, core::maker_prefix, core::layout_prefix}) {
        CHECK(file.text.find(prefix) == std::string::npos);
      }
      functions += file.text;
    }
    // Those of integers that are made for every type stand there once.
    for (const core::TextFunction& function : core::text_functions()) {
      for (const std::string_view name : {function.integer_name, function.floating_name}) {
        INFO(std::string(name));
        CHECK(functions.find(name) != std::string::npos);
      }
    }
  }
}

TEST_CASE("every function stands in the documents") {
  std::string page;
  for (const auto& file : test::source_files("docs", {".md"})) {
    if (file.path == "docs/operators.md") page = file.text;
  }
  for (const core::TextFunction& function : core::text_functions()) {
    CHECK_MESSAGE(page.find("`" + std::string(function.word) + "(") != std::string::npos,
                  std::string(function.word));
  }
  CHECK(page.find("8192") != std::string::npos);
  CHECK(page.find("64") != std::string::npos);
}

TEST_SUITE_END();

}  // namespace bifold
