#include "source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace bifold::test {

namespace fs = std::filesystem;

std::vector<std::string> SourceFile::lines() const {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::vector<SourceFile> source_files(std::string_view folder,
                                     const std::vector<std::string>& suffixes) {
  std::vector<SourceFile> files;
  const fs::path top(BIFOLD_SOURCE_DIR);
  if (!fs::is_directory(top / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().filename().string();
    const bool wanted =
        std::any_of(suffixes.begin(), suffixes.end(),
                    [&](const std::string& suffix) { return name.ends_with(suffix); });
    if (!wanted) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files.push_back({fs::relative(entry.path(), top).generic_string(),
                     std::string(std::istreambuf_iterator<char>(stream), {})});
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace bifold::test
