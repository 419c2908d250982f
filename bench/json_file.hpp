// Writing a file whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace bench {

/// Throws UsageError when a file could not be written there. Leaves nothing behind, and an existing
/// file as it is.
void check_writable(const std::filesystem::path& file);

/// Writes beside the file, then renames: readers see the old file or the new one. Throws
/// std::runtime_error when that fails.
void write_json(const std::filesystem::path& file, std::string_view document);

}  // namespace bench
