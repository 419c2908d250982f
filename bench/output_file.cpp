#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "format.hpp"
#include "usage_error.hpp"

namespace bench {
namespace {

std::filesystem::path temporary_of(std::filesystem::path file) { return file += ".tmp"; }

}  // namespace

void check_writable(std::string_view option, const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw UsageError(formatted("{}: '{}' is a folder", option, file.string()));
  }
  const auto temporary = temporary_of(file);
  errno = 0;
  const bool opened = std::ofstream(temporary).is_open();
  const int code = errno;
  if (!opened) {
    throw UsageError(formatted("{}: cannot write '{}': {}", option, file.string(),
                               std::generic_category().message(code)));
  }
  std::filesystem::remove(temporary, ignored);
}

void write_whole(std::string_view option, const std::filesystem::path& file,
                 std::string_view document) {
  const auto temporary = temporary_of(file);
  std::ofstream out(temporary);
  out << document;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(temporary, file, error);
  if (!out || error) {
    const std::string why = error ? ": " + error.message() : std::string();
    std::filesystem::remove(temporary, error);
    throw std::runtime_error(formatted("{}: cannot write '{}'{}", option, file.string(), why));
  }
}

}  // namespace bench
