#include "base/output_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "base/format.hpp"
#include "base/standard_output.hpp"
#include "base/usage_error.hpp"
#include "core/base/descriptor.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using bifold::core::Descriptor;
using bifold::core::words_of;

constexpr int most_links = 40;  // As many as the system follows.
constexpr mode_t permissions = 0777;

enum class Kind { standard_output, replaced, written_to };

/// What an option's path leads to.
struct Target {
  Kind kind = Kind::standard_output;
  fs::path path;  ///< Behind all links.
  bool exists = false;
  struct stat status {};
};

std::string problem(std::string_view option, const fs::path& file, int error) {
  return formatted("{}: cannot write '{}': {}", option, file.string(), words_of(error));
}

/// Links in /proc name files that are open, as /dev/stdout does: none that a name could replace.
bool is_in_proc(const fs::path& link) {
  const fs::path parent = link.parent_path();
  struct statfs system {};
  return statfs(parent.empty() ? "." : parent.c_str(), &system) == 0 &&
         system.f_type == PROC_SUPER_MAGIC;
}

/// Throws UsageError where nothing could be written.
Target target_of(std::string_view option, const fs::path& file) {
  Target target;
  if (file == "-") return target;
  target.path = file;
  for (int links = 0; links <= most_links; ++links) {
    target.kind = Kind::replaced;
    if (lstat(target.path.c_str(), &target.status) != 0) {
      if (errno == ENOENT) return target;
      throw UsageError(problem(option, file, errno));
    }
    if (!S_ISLNK(target.status.st_mode)) {
      if (S_ISDIR(target.status.st_mode)) {
        throw UsageError(formatted("{}: '{}' is a folder", option, file.string()));
      }
      target.exists = true;
      if (!S_ISREG(target.status.st_mode)) target.kind = Kind::written_to;
      return target;
    }
    if (is_in_proc(target.path)) {
      target.kind = Kind::written_to;
      if (stat(target.path.c_str(), &target.status) != 0) {
        throw UsageError(problem(option, file, errno));
      }
      return target;
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(target.path, error);
    if (error) throw UsageError(problem(option, file, error.value()));
    target.path = target.path.parent_path() / next;
  }
  throw UsageError(problem(option, file, ELOOP));
}

Descriptor open_to_write(const Target& target, int flags) {
  return Descriptor(open(target.path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC | flags));
}

/// A new file beside the target, with which it can be replaced.
struct Replacement {
  explicit Replacement(const Target& target) {
    const std::string digits = bifold::core::random_digits();
    if (digits.empty()) return;
    path = target.path.parent_path() / (".bifold-bench." + digits);
    // Nobody may read it who may not read what it replaces.
    const mode_t mode = target.exists ? 0600 : 0666;
    file =
        Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file || !target.exists) return;
    // Where it cannot be kept, the new file is the user's, as a new one would be.
    (void)!fchown(file.number(), target.status.st_uid, target.status.st_gid);
    (void)fchmod(file.number(), target.status.st_mode & permissions);
  }

  Descriptor file;
  fs::path path;
};

/// 0, or errno.
int replace(const Target& target, std::string_view document) {
  Replacement replacement(target);
  if (!replacement.file) return errno;
  if (write_all(replacement.file, document) && replacement.file.close() &&
      rename(replacement.path.c_str(), target.path.c_str()) == 0) {
    return 0;
  }
  const int error = errno;
  (void)unlink(replacement.path.c_str());
  return error;
}

/// 0, or errno.
int write_to(const Target& target, std::string_view document) {
  flush_text();  // It may be where this goes, too.
  Descriptor there = open_to_write(target, 0);
  return there && write_all(there, document) && there.close() ? 0 : errno;
}

void take_standard_output(std::string_view option) {
  static std::string owner;
  if (!owner.empty() && owner != option) {
    throw UsageError(formatted("{}: '-' is the standard output, which {} has", option, owner));
  }
  owner = option;
  give_standard_output_to_document();
}

}  // namespace

void check_writable(std::string_view option, const fs::path& file) {
  const Target target = target_of(option, file);
  if (target.kind == Kind::standard_output) return take_standard_output(option);
  if (target.kind == Kind::replaced) {
    if (target.exists && faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) {
      throw UsageError(problem(option, file, errno));
    }
    const Replacement replacement(target);
    if (!replacement.file) throw UsageError(problem(option, file, errno));
    (void)unlink(replacement.path.c_str());
    return;
  }
  // A reader of a FIFO would take the end of a trial for the end of the document.
  const bool well = S_ISFIFO(target.status.st_mode)
                        ? faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) == 0
                        : static_cast<bool>(open_to_write(target, O_NONBLOCK));
  if (!well) throw UsageError(problem(option, file, errno));
}

void write_whole(std::string_view option, const fs::path& file, std::string_view document) {
  const Target target = target_of(option, file);
  if (target.kind == Kind::standard_output) return write_document(document);
  const int error =
      target.kind == Kind::replaced ? replace(target, document) : write_to(target, document);
  if (error != 0) throw std::runtime_error(problem(option, file, error));
}

bool is_replaced(std::string_view option, const fs::path& file) {
  return target_of(option, file).kind == Kind::replaced;
}

}  // namespace bench
