// The project's own files, for the tests of its house rules.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

/// A text file of the project.
struct SourceFile {
  std::string path;  ///< Relative to the project's top, with '/'.
  std::string text;

  [[nodiscard]] std::vector<std::string> lines() const;
};

/// Every file below `folder` (relative to the top) with one of the suffixes; empty when there is no
/// such folder. Sorted by path.
std::vector<SourceFile> source_files(std::string_view folder,
                                     const std::vector<std::string>& suffixes);

}  // namespace bifold::test
