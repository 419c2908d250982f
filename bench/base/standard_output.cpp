#include "base/standard_output.hpp"

#include <cerrno>
#include <cstdio>

#include "core/base/descriptor.hpp"

namespace bench {
namespace {

int first_error = 0;
std::FILE* for_people = stdout;
bool silent = false;

void write_to(std::FILE* stream, std::string_view text) {
  if (silent) return;
  errno = 0;
  const bool well = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!well && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

void flush(std::FILE* stream) {
  errno = 0;
  const bool well = std::fflush(stream) == 0;
  if (!well && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

}  // namespace

void write_text(std::string_view text) { write_to(for_people, text); }

void flush_text() { flush(for_people); }

void write_error(std::string_view text) {
  if (silent) return;
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void silence() { silent = true; }

void give_standard_output_to_document() { for_people = stderr; }

void write_document(std::string_view document) { write_to(stdout, document); }

std::string standard_output_problem() {
  flush(stdout);
  if (first_error == 0 && std::ferror(stdout) != 0) first_error = EIO;
  return first_error == 0 ? std::string() : bifold::core::words_of(first_error);
}

}  // namespace bench
