// The benchmark's folders: bench/README.md lists them, and a folder includes only those above it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "support/source_tree.hpp"

namespace {

using bifold::test::source_files;
using bifold::test::SourceFile;

constexpr std::size_t most_files = 30;

/// The folders of bench/README.md's table, in order.
std::vector<std::string> listed_folders() {
  std::vector<std::string> folders;
  const std::regex row(R"(\| `([a-z/]+)` \|.*)");
  for (const SourceFile& file : source_files("bench", {"README.md"})) {
    if (file.path != "bench/README.md") continue;
    for (const std::string& line : file.lines()) {
      std::smatch match;
      if (std::regex_match(line, match, row)) folders.push_back(match[1]);
    }
  }
  return folders;
}

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

std::vector<SourceFile> code_files() { return source_files("bench", {".hpp", ".cpp", ".cu"}); }

/// Below bench/, of a file's path.
std::string within(const std::string& path) { return path.substr(std::string("bench/").size()); }

}  // namespace

TEST_SUITE_BEGIN("bench layout");

TEST_CASE("a folder of the benchmark includes only those above it in the map") {
  const std::vector<std::string> folders = listed_folders();
  REQUIRE(folders.size() >= 10);
  const auto place_of = [&](const std::string& folder) {
    return std::find(folders.begin(), folders.end(), folder) - folders.begin();
  };
  const std::regex include(R"re(#include "(.*)")re");
  for (const SourceFile& file : code_files()) {
    const std::string folder = folder_of(within(file.path));
    CAPTURE(file.path);
    CHECK_MESSAGE(std::count(folders.begin(), folders.end(), folder) == 1, folder,
                  " is not listed");
    for (const std::string& line : file.lines()) {
      std::smatch match;
      if (!std::regex_match(line, match, include)) continue;
      const std::string included = folder_of(match[1]);
      CHECK_MESSAGE(!included.empty(), match[1].str(), " is not named from bench/");
      const auto place = place_of(included);
      const bool ours = static_cast<std::size_t>(place) < folders.size();
      CHECK_MESSAGE((!ours || place <= place_of(folder)), match[1].str(), " is of a later folder");
    }
  }
}

TEST_CASE("a source of the benchmark has a header of its name") {
  const std::vector<SourceFile> files = code_files();
  for (const SourceFile& file : files) {
    // Modules export one function, and main() needs no header.
    if (!file.path.ends_with(".cpp") || file.path == "bench/cli/main.cpp") continue;
    if (file.text.find("_MODULE(") != std::string::npos) continue;
    const std::string header = file.path.substr(0, file.path.size() - 3) + "hpp";
    const bool there = std::any_of(files.begin(), files.end(),
                                   [&](const SourceFile& other) { return other.path == header; });
    CHECK_MESSAGE(there, file.path);
  }
}

TEST_CASE("no folder of the benchmark has more than 30 files") {
  std::map<std::string, std::size_t> counts;
  for (const SourceFile& file : source_files("bench", {""})) ++counts[folder_of(file.path)];
  for (const auto& [folder, count] : counts) CHECK_MESSAGE(count <= most_files, folder);
}

TEST_SUITE_END();
