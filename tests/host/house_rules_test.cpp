// House rules that a reader relies on: line and file lengths, and where vendor headers may appear.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "support/source_tree.hpp"

namespace bifold {

using test::source_files;
using test::SourceFile;

namespace {

const std::vector<std::string> code_folders{"include",   "backends", "kernels_cu", "kernels_cl",
                                            "tests",     "bench",    "examples",   "bindings",
                                            "packaging", "cmake"};
const std::vector<std::string> code_suffixes{
    ".hpp", ".cpp", ".h", ".c", ".cu", ".cl", ".cmake", ".py", "CMakeLists.txt"};

std::vector<SourceFile> all_code() {
  std::vector<SourceFile> files;
  for (const std::string& folder : code_folders) {
    for (SourceFile& file : source_files(folder, code_suffixes)) files.push_back(std::move(file));
  }
  return files;
}

/// Characters, not bytes, of a UTF-8 line.
std::ptrdiff_t columns(const std::string& line) {
  return std::count_if(line.begin(), line.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; });
}

}  // namespace

TEST_SUITE_BEGIN("house_rules");

TEST_CASE("the project's code is found") {
  CHECK(source_files("include", {".hpp"}).size() >= 14);
  CHECK(source_files("backends", {".cpp"}).size() >= 10);
  CHECK(source_files("kernels_cu", {".cu"}).size() >= 5);
  CHECK(source_files("kernels_cl", {".cl"}).size() >= 5);
}

TEST_CASE("no line is longer than 100 columns") {
  for (const SourceFile& file : all_code()) {
    int number = 0;
    for (const std::string& line : file.lines()) {
      ++number;
      CHECK_MESSAGE(columns(line) <= 100, file.path, ":", number, " has ", columns(line));
    }
  }
}

TEST_CASE("no file is longer than 450 lines") {
  for (const SourceFile& file : all_code()) {
    CHECK_MESSAGE(file.lines().size() <= 450, file.path, " has ", file.lines().size());
  }
}

TEST_CASE("files end with one newline and hold no tabs or trailing blanks") {
  for (const SourceFile& file : all_code()) {
    INFO(file.path);
    CHECK(file.text.ends_with('\n'));
    CHECK_FALSE(file.text.ends_with("\n\n"));
    CHECK(file.text.find('\t') == std::string::npos);
    CHECK(file.text.find(" \n") == std::string::npos);
  }
}

TEST_CASE("vendor headers stay inside the backends, interop, tests and the benchmark's peers") {
  const std::regex vendor(R"(^\s*#\s*include\s*[<"](cuda[^>"]*|nvrtc\.h|CL/[^>"]*)[>"])");
  const std::vector<std::string> allowed{
      "backends/cuda/", "backends/opencl/", "backends/embed/", "include/bifold/interop/",
      "tests/",         "bench/peers/",     "examples/embed_"};
  for (const SourceFile& file : all_code()) {
    const bool may = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& prefix) {
      return file.path.starts_with(prefix);
    });
    if (may) continue;
    int number = 0;
    for (const std::string& line : file.lines()) {
      ++number;
      CHECK_MESSAGE(!std::regex_search(line, vendor), file.path, ":", number, ": ", line);
    }
  }
}

TEST_CASE("a public header of a backend includes that vendor's one header and no other") {
  const std::regex any_vendor(R"(^\s*#\s*include\s*[<"](cuda[^>"]*|nvrtc\.h|CL/[^>"]*)[>"])");
  for (const auto& [path, header] :
       {std::pair("interop/cuda.hpp", "cuda.h"), std::pair("interop/opencl.hpp", "CL/cl.h")}) {
    for (const SourceFile& file : source_files("include/bifold/interop", {".hpp"})) {
      if (!file.path.ends_with(path)) continue;
      for (const std::string& line : file.lines()) {
        std::smatch match;
        if (!std::regex_search(line, match, any_vendor)) continue;
        CHECK_MESSAGE(match[1].str() == header, file.path, ": ", line);
      }
    }
  }
  // Everybody includes the umbrella: nobody should need a vendor's headers for it.
  for (const SourceFile& file : source_files("include/bifold", {".hpp"})) {
    if (file.path.find("/interop/") != std::string::npos) continue;
    CHECK_MESSAGE(file.text.find("bifold/interop/") == std::string::npos, file.path);
  }
}

TEST_CASE("of the tests, those of a backend alone meet its vendor's headers") {
  const std::regex opencl(R"(^\s*#\s*include\s*[<"](CL/[^>"]*|opencl/[^>"]*)[>"])");
  for (const SourceFile& file : source_files("tests", {".hpp", ".cpp"})) {
    if (file.path.find("opencl") != std::string::npos) continue;
    for (const std::string& line : file.lines()) {
      CHECK_MESSAGE(!std::regex_search(line, opencl), file.path, ": ", line);
    }
  }
}

TEST_CASE("the tests of one program give every struct a name of its own") {
  // Two definitions of one name are one type to the linker, which keeps the fields of either.
  const std::regex struct_name(R"(BIFOLD_STRUCT_NAMED\(([^,]+),)");
  for (const std::string folder : {"tests/device", "tests/host", "tests/nvrtc", "tests/offline"}) {
    std::map<std::string, std::string> seen;
    std::vector<SourceFile> files = source_files(folder, {".cpp", ".hpp"});
    for (SourceFile& shared : source_files("tests/support", {".hpp"})) {
      files.push_back(std::move(shared));
    }
    for (const SourceFile& file : files) {
      for (std::sregex_iterator at(file.text.begin(), file.text.end(), struct_name), end; at != end;
           ++at) {
        const auto [other, first] = seen.emplace((*at)[1].str(), file.path);
        CHECK_MESSAGE(first, file.path, " and ", other->second, " both name a ", other->first);
      }
    }
    CHECK(!seen.empty());
  }
}

TEST_CASE("the two backends do not include one another, and the core includes neither") {
  const std::regex other_backend(R"(^\s*#\s*include\s*[<"](?:\.\./)?(cuda|opencl)/)");
  for (const std::string folder : {"backends/core", "backends/cuda", "backends/opencl"}) {
    for (const SourceFile& file : source_files(folder, {".hpp", ".cpp"})) {
      for (const std::string& line : file.lines()) {
        std::smatch match;
        if (!std::regex_search(line, match, other_backend)) continue;
        CHECK_MESSAGE("backends/" + match[1].str() == folder, file.path, ": ", line);
      }
    }
  }
}

TEST_CASE("the library neither prints nor ends the process") {
  const std::regex forbidden(
      R"(\bstd(out|err)\b|\bstd::c(out|err|log)\b|\b(f?printf|puts|exit|abort|terminate)\s*\()");
  for (const std::string folder : {"include", "backends"}) {
    for (const SourceFile& file : source_files(folder, {".hpp", ".cpp", ".h"})) {
      // A program of the build's, no part of the library.
      if (file.path == "backends/embed/generate.cpp") continue;
      int number = 0;
      for (const std::string& line : file.lines()) {
        ++number;
        CHECK_MESSAGE(!std::regex_search(line, forbidden), file.path, ":", number, ": ", line);
      }
    }
  }
}

TEST_CASE("nothing asks the application's locale which letters there are") {
  const std::regex locale(
      R"(<(cctype|ctype\.h|locale|clocale)>|\b(is(alnum|alpha|digit|lower|upper|space)\s*\())"
      R"(|\b(to(lower|upper)|strn?casecmp|setlocale)\s*\()");
  for (const std::string folder : {"include", "backends", "bench"}) {
    for (const SourceFile& file : source_files(folder, {".hpp", ".cpp", ".h"})) {
      int number = 0;
      for (const std::string& line : file.lines()) {
        ++number;
        CHECK_MESSAGE(!std::regex_search(line, locale), file.path, ":", number, ": ", line);
      }
    }
  }
}

TEST_CASE("kernel files are free of includes: run-time compilers have no folder to look in") {
  for (const std::string folder : {"kernels_cu", "kernels_cl"}) {
    for (const SourceFile& file : source_files(folder, {".cu", ".cl"})) {
      CHECK_MESSAGE(file.text.find("#include") == std::string::npos, file.path);
    }
  }
}

TEST_CASE("the README shows the quickstart that is built and run") {
  std::ifstream readme(std::string(BIFOLD_SOURCE_DIR) + "/README.md");
  const std::string text{std::istreambuf_iterator<char>(readme), {}};
  REQUIRE_FALSE(text.empty());
  const auto examples = source_files("examples", {"quickstart.cpp"});
  REQUIRE(examples.size() == 1);
  CHECK(text.find("```cpp\n" + examples[0].text + "```") != std::string::npos);
}

TEST_CASE("every test that docs/semantics.md names is there") {
  std::string tests;
  for (const SourceFile& file : source_files("tests", {".cpp"})) tests += file.text;
  const auto documents = source_files("docs", {"semantics.md"});
  REQUIRE(documents.size() == 1);
  // A name may go over the end of a line.
  const std::string text = std::regex_replace(documents[0].text, std::regex("\n(?!\n)"), " ");
  const std::regex held(R"( Held by [^\n]*)");
  const std::regex name(R"("[^"]+")");
  int rules = 0;
  for (std::sregex_iterator part(text.begin(), text.end(), held), end; part != end; ++part) {
    ++rules;
    const std::string words = part->str();
    for (std::sregex_iterator found(words.begin(), words.end(), name); found != end; ++found) {
      CHECK_MESSAGE(tests.find(found->str()) != std::string::npos, found->str());
    }
  }
  CHECK(rules == 23);
}

TEST_SUITE_END();

}  // namespace bifold
