// The lists of kernel texts that a compiler has compiled before.
#include "support/compiled/compiled_texts.hpp"

#include <doctest/doctest.h>

#include "support/environment.hpp"

namespace bifold {

using test::CompiledTexts;

TEST_SUITE_BEGIN("compiled_texts");

TEST_CASE("a text is listed with its options and checks, for the compiler that compiled it") {
  const auto file = test::fresh_folder("compiled_texts") / "list.txt";
  const backend::Source source{"sum.cl", "__kernel void sum() {}", "-O2"};
  CompiledTexts before(file, "clang 16");
  CHECK(before.of_this_compiler());
  CHECK_FALSE(before.has(source, "32 registers"));
  before.add(source, "32 registers");
  CHECK_FALSE(before.has(source, "32 registers"));
  before.write();

  const CompiledTexts after(file, "clang 16");
  CHECK(after.of_this_compiler());
  CHECK(after.has(source, "32 registers"));
  CHECK_FALSE(after.has(source, "16 registers"));
  CHECK_FALSE(after.has({"sum.cl", "__kernel void sum() { }", "-O2"}, "32 registers"));
  CHECK_FALSE(after.has({"sum.cl", "__kernel void sum() {}", "-O1"}, "32 registers"));
  CHECK(after.has({"moved.cl", "__kernel void sum() {}", "-O2"}, "32 registers"));

  const CompiledTexts other(file, "clang 17");
  CHECK_FALSE(other.of_this_compiler());
  CHECK_FALSE(other.has(source, "32 registers"));
}

TEST_SUITE_END();

}  // namespace bifold
