// Files kept between runs in the cache's directory: where that is, how to read and write one.
#pragma once

#include <bifold/device.hpp>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/private_folder.hpp"
#include "core/text/checked_text.hpp"

namespace bifold::core {

/// The directory that the options mean, by the rules of CacheOptions; empty where there is none.
std::filesystem::path cache_directory(const CacheOptions& options);

/// The file with that suffix that is kept for devices of that name; empty where there is no
/// directory.
std::filesystem::path file_of_device(const CacheOptions& options, const DeviceInfo& info,
                                     std::string_view suffix);

/// Whether the environment forbids to keep compiled kernels on disk: BIFOLD_CACHE_DISABLE is set,
/// and not to 0.
bool disabled_by_environment();

/// What must not be believed is told once in a process, as a warning.
void warn_once(const std::string& message);

/// Opens the folder of the cache; nothing where there is none that can be used. Warns once where
/// that is because others could have written to it.
std::optional<PrivateFolder> open_cache_folder(const std::filesystem::path& folder);

/// Opens a file in the folder of the cache by the rules of PrivateFolder. The folder's own problems
/// are told as open_cache_folder() does; then there is no such file.
Opened<OpenFile> open_cache_file(const std::filesystem::path& file);

/// What `read` makes of the text of a checked file (core/text/checked_text.hpp); an empty reading
/// with its `problem` where the text is not to be had.
template <class Read>
auto reading_of(Opened<OpenFile>& file, const Read& read) -> decltype(read(std::string_view{})) {
  if (!file.thing) return {{}, file.problem};
  const std::uint64_t bytes = file.thing->bytes();
  if (bytes > most_checked_bytes) return {{}, "it has " + std::to_string(bytes) + " bytes"};
  const std::optional<std::string> text = file.thing->text();
  if (!text) return {{}, "it could not be read"};
  return read(*text);
}

/// Writes a file in the folder of the cache by the rules of PrivateFolder, which is made where it
/// is missing: whole or not at all. What went wrong, or nothing.
std::string write_atomically(const std::filesystem::path& file,
                             std::initializer_list<std::string_view> parts);

}  // namespace bifold::core
