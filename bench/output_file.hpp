// Writing a file whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace bench {

/// Throws UsageError, which starts with `option`, when a file could not be written there. Leaves
/// nothing behind, and an existing file as it is.
void check_writable(std::string_view option, const std::filesystem::path& file);

/// Writes beside the file, then renames: readers see the old file or the new one. Throws
/// std::runtime_error when that fails.
void write_whole(std::string_view option, const std::filesystem::path& file,
                 std::string_view document);

}  // namespace bench
