// The embedded programs through the assembler: their versions, sizes and registers.
#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/embedded.hpp"
#include "programs.hpp"
#include "support/assembler.hpp"

namespace bifold {

using test::Assembler;
using test::bytes_of;
using test::contains;
using test::programs_in;

namespace {

/// The registers that the loads of one block of a text fill, where they are most.
int most_registers_loaded(const std::string& text) {
  static const std::regex load(R"(ld\.global\.(?:nc\.)?(?:v([24])\.)?[a-z](\d+))");
  std::istringstream lines(text);
  std::string line;
  int most = 0;
  int bits = 0;
  std::smatch found;
  while (std::getline(lines, line)) {
    if (contains(line, "bra") || contains(line, "$L__")) bits = 0;
    if (!std::regex_search(line, found, load)) continue;
    bits += (found[1].matched ? std::stoi(found[1]) : 1) * std::stoi(found[2]);
    most = std::max(most, bits / 32);
  }
  return most;
}

}  // namespace

TEST_SUITE_BEGIN("embedded_table");

TEST_CASE("the table is within its budget and names old enough versions") {
  const core::EmbeddedTable& table = core::embedded_table();
  // For the PTX, and for each GPU's machine code.
  constexpr std::size_t ptx_budget = std::size_t{1920} * 1024;
  constexpr std::size_t code_budget = std::size_t{1664} * 1024;
  std::map<std::string, std::size_t> compressed;
  std::vector<bool> counted(table.packs.size());
  for (const core::EmbeddedProgram& program : table.programs) {
    if (counted[program.pack]) continue;
    counted[program.pack] = true;
    const bool is_ptx = program.id.form == core::EmbeddedForm::ptx;
    compressed[is_ptx ? "PTX" : "sm_" + std::to_string(program.id.architecture)] +=
        table.packs[program.pack].compressed;
  }
  for (const auto& [what, bytes] : compressed) {
    std::cout << what << ": " << bytes / 1024 << " KiB\n";
    CHECK_MESSAGE(bytes < (what == "PTX" ? ptx_budget : code_budget), what);
  }
  CHECK(table.programs.size() > 200);
  std::set<int> seen;
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::ptx)) {
    const std::string text = bytes_of(program);
    seen.insert(program.id.architecture);
    const bool bulk = program.id.architecture >= 90;
    CHECK(
        text.starts_with(bulk ? ".version 8.0\n.target sm_90\n" : ".version 7.0\n.target sm_75\n"));
    CHECK(contains(text, ".entry "));
  }
  CHECK(seen == std::set<int>{75, 90});
}

TEST_CASE("machine code is there for every program that its GPU takes") {
  std::set<int> architectures;
  std::set<core::EmbeddedKey> texts;
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::machine_code)) {
    architectures.insert(program.id.architecture);
    texts.insert(program.id.key);
    const std::string image = bytes_of(program);
    CHECK(
        image.starts_with("\x7F"
                          "ELF"));
    CHECK(contains(image, ".text."));
  }
  for (const int target : architectures) std::cout << "machine code for sm_" << target << '\n';
  if (!architectures.contains(90)) return;
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::ptx)) {
    if (program.id.architecture == 90) CHECK(texts.contains(program.id.key));
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("embedded_ptxas");

// The assembler refuses what is newer than the version that a text names. Each text is assembled
// for the oldest architecture, and a share of them for each later one.
TEST_CASE("ptxas assembles all of it as it is") {
  const Assembler ptxas("ptx");
  const auto assembles = [&](const std::string& text, int target) {
    return ptxas.takes(text, target, "-O0");
  };
  std::vector<int> targets;
  for (const int target : {75, 80, 90, 120}) {
    const std::string nothing = ".version 7.0\n.target sm_75\n.address_size 64\n";
    if (assembles(nothing, target)) {
      targets.push_back(target);
    } else {
      std::cout << "this ptxas does not know sm_" << target << '\n';
    }
  }
  REQUIRE(targets.size() >= 3);
  std::size_t turn = 0;
  std::size_t assembled = 0;
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::ptx)) {
    const std::string text = bytes_of(program);
    const auto check = [&](int target) {
      ++assembled;
      if (assembles(text, target)) return;
      FAIL_CHECK("for sm_", target, ": ", ptxas.log().substr(0, 400));
    };
    check(program.id.architecture);
    constexpr std::size_t share = 12;
    const std::size_t own = turn++ % share;
    if (own < targets.size() && targets[own] > program.id.architecture) check(targets[own]);
  }
  std::cout << assembled << " assembled\n";
  // That the version is heeded at all: the words of the ring are younger than 7.8.
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::ptx)) {
    std::string text = bytes_of(program);
    if (!contains(text, "cp.async.bulk")) continue;
    text.replace(0, std::string_view(".version 8.0").size(), ".version 7.8");
    CHECK_FALSE(assembles(text, 90));
    break;
  }
}

// Where ptxas leaves room for more groups than there are, loads wait for registers.
TEST_CASE("reductions of few groups have the registers that a leaf's rows fill") {
  const Assembler ptxas("registers");
  int kernels = 0;
  int most = 0;
  for (const core::EmbeddedProgram& program : programs_in(core::EmbeddedForm::ptx)) {
    const std::string text = bytes_of(program);
    const bool few_groups = contains(text, ".minnctapersm 1");
    if (program.id.architecture != 90 || !few_groups || !contains(text, "reduce_order_single")) {
      continue;
    }
    ++kernels;
    REQUIRE(ptxas.takes(text, 90, "-v"));
    const std::string log = ptxas.log();
    const std::size_t used = log.find("Used ");
    REQUIRE(used != std::string::npos);
    const int loaded = most_registers_loaded(text);
    most = std::max(most, loaded);
    CHECK(loaded >= 32);
    CHECK_MESSAGE(std::stoi(log.substr(used + 5)) >= loaded, loaded, " loaded: ", log);
    CHECK_MESSAGE(contains(log, " 0 bytes spill stores"), log);
  }
  std::cout << kernels << " kernels of few groups\n";
  // Sums, products and extrema of all types, in words where integers have 1 and 2 bytes.
  CHECK(kernels >= 49);
  CHECK(most >= 128);
}

TEST_SUITE_END();

}  // namespace bifold
