// Files kept between runs in the cache's directory: where that is, whose they are, how to write
// one.
#pragma once

#include <bifold/device.hpp>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bifold::core {

/// The directory that the options mean, by the rules of CacheOptions; empty where there is none.
std::filesystem::path cache_directory(const CacheOptions& options);

/// Whether the environment forbids to keep compiled kernels on disk: BIFOLD_CACHE_DISABLE is set,
/// and not to 0.
bool disabled_by_environment();

/// Whether the file is the effective user's: what others wrote is not believed.
bool is_own(const std::filesystem::path& file);

/// Writes the parts under a temporary name beside the file, makes the directory if it is missing,
/// and renames: readers see the file whole or not at all, and the last of several writers wins.
/// What went wrong, or nothing.
std::string write_atomically(const std::filesystem::path& file,
                             std::initializer_list<std::string_view> parts);

}  // namespace bifold::core
