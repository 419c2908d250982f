// Documents go where an option says: whole, and to nothing but that.
#pragma once

#include <filesystem>
#include <string_view>

namespace bench {

/// Throws UsageError, which starts with `option`, when a document could not be written there.
/// Leaves nothing behind, and what there is as it is. `-` is the standard output, which one option
/// can have: texts for people then go to the standard error.
void check_writable(std::string_view option, const std::filesystem::path& file);

/// Writes a document. Links are followed. A regular file, or none yet: written beside it under a
/// name of its own, then renamed, so that readers see the old file or the new one, and a failure
/// leaves the old one whole. Anything else, as a device or a FIFO, is written to as it is. Throws
/// std::runtime_error when that fails; of the standard output, standard_output_problem() tells.
void write_whole(std::string_view option, const std::filesystem::path& file,
                 std::string_view document);

/// Whether write_whole() makes or replaces a regular file there.
bool is_replaced(std::string_view option, const std::filesystem::path& file);

}  // namespace bench
