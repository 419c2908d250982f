// What somebody typed, what a driver says, how times are written, and when a wait is over.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/ascii.hpp"
#include "core/base/duration.hpp"
#include "core/base/nearest.hpp"
#include "core/base/polling.hpp"
#include "core/base/printable.hpp"

namespace bifold {

using namespace std::chrono_literals;
using core::duration_text;
using core::nearest;
using core::printable;

TEST_SUITE_BEGIN("words");

TEST_CASE("ASCII letters, digits and blanks are what they are in the C locale, and nothing else") {
  const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (int code = 0; code < 256; ++code) {
    const char c = static_cast<char>(code);
    CAPTURE(code);
    const auto place = letters.find(c);
    const bool letter = place != std::string_view::npos;
    CHECK(core::is_letter(c) == letter);
    CHECK(core::is_upper(c) == (letter && place < 26));
    CHECK(core::to_lower(c) == (letter && place < 26 ? letters[place + 26] : c));
    CHECK(core::is_digit(c) == (std::string_view("0123456789").find(c) != std::string_view::npos));
    CHECK(core::is_word(c) == (letter || core::is_digit(c) || c == '_'));
    CHECK(core::is_blank(c) == (std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos));
  }
}

TEST_CASE("a mistyped word is taken for the nearest one, and another for none") {
  constexpr std::array<std::string_view, 9> words{"list", "run",      "compare", "gallery", "check",
                                                  "tune", "accuracy", "startup", "--size"};
  for (const auto& [typed, meant] : {std::pair("runn", "run"),
                                     {"RUN", "run"},
                                     {"rnu", "run"},
                                     {"un", "run"},
                                     {"lsit", "list"},
                                     {"acuraccy", "accuracy"},
                                     {"comp", "compare"},
                                     {"--sizes", "--size"},
                                     {"gal", "gallery"},
                                     {"vulkan", ""},
                                     {"x", ""},
                                     {"", ""}}) {
    CAPTURE(typed);
    CHECK(nearest(typed, words) == meant);
  }
  CHECK(nearest(std::string(100000, 'u'), words).empty());
  CHECK(core::suggestion("runn", words) == "; did you mean \"run\"?");
  CHECK(core::suggestion("vulkan", words).empty());
}

TEST_CASE("text of a driver comes on one line of valid UTF-8") {
  CHECK(printable("NVIDIA H200") == "NVIDIA H200");
  CHECK(printable(" Intel(R)   CPU \t") == "Intel(R)   CPU");
  CHECK(printable(std::string_view("PoCL\0\0", 6)) == "PoCL");
  CHECK(printable("two\nlines") == "two lines");
  CHECK(printable("two \r\n lines\n") == "two lines");
  CHECK(printable("\x1b[31mred\x7f!") == "[31mred !");
  CHECK(printable("Gerät λ 😀") == "Gerät λ 😀");
  // A control character and a line separator in UTF-8.
  CHECK(printable("a\xc2\x85"
                  "b\xe2\x80\xa8"
                  "c") == "a b c");
  // Latin-1, a sequence that ends early, a longer one than is needed, half of a pair, too large.
  CHECK(printable("Ger\xe4t") == "Ger?t");
  CHECK(printable("x\xe2\x82") == "x??");
  CHECK(printable("\xc0\xaf") == "??");
  CHECK(printable("\xed\xa0\x80") == "???");
  CHECK(printable("\xf4\x90\x80\x80") == "????");
  CHECK(printable("\n\n").empty());
}

TEST_CASE("times in messages are in the largest unit of which there is one") {
  CHECK(duration_text(120s) == "120 s");
  CHECK(duration_text(1500ms) == "1.5 s");
  CHECK(duration_text(20ms) == "20 ms");
  CHECK(duration_text(1500ns) == "1.5 us");
  CHECK(duration_text(1ns) == "1 ns");
  CHECK(duration_text(0ns) == "0 ns");
}

TEST_CASE("a wait ends by what is answered past its limit") {
  // However long an answer takes: it was asked for before.
  int asked = 0;
  CHECK(core::done_within(1ms, [&] {
    if (asked++ > 0) return true;
    std::this_thread::sleep_for(5ms);
    return false;
  }));
  CHECK(asked == 2);
  asked = 0;
  CHECK_FALSE(core::done_within(0ms, [&] { return ++asked == 2; }));
  CHECK_FALSE(core::done_within(1ms, [] { return false; }));
  CHECK(core::done_within(0ms, [] { return true; }));
}

TEST_SUITE_END();

}  // namespace bifold
