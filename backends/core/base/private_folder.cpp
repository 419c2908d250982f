#include "core/base/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "core/base/format.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

constexpr mode_t owner_reads_and_writes = 0600;
constexpr mode_t owner_alone = 0700;
constexpr mode_t others_write = S_IWGRP | S_IWOTH;
constexpr mode_t permissions = 07777;

// Why what others could have written is not believed; or nothing.
std::string distrust(const struct stat& status) {
  if (status.st_uid != geteuid()) return "it is another user's";
  if ((status.st_mode & others_write) != 0) {
    return formatted("others may write to it, its mode is {:04o}", status.st_mode & permissions);
  }
  return {};
}

template <class Thing>
Opened<Thing> failed(int error) {
  if (error == ENOENT) return {};
  return {{}, words_of(error), false};
}

template <class Thing>
Opened<Thing> refused(std::string why) {
  return {{}, std::move(why), true};
}

// No link is followed where `judge` says so, and then the file is judged, too.
Opened<OpenFile> open_file(int folder, const char* name, bool judge) {
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (judge ? O_NOFOLLOW : 0);
  Descriptor descriptor(openat(folder, name, flags));
  if (!descriptor) {
    if (judge && errno == ELOOP) return refused<OpenFile>("it is a link");
    return failed<OpenFile>(errno);
  }
  struct stat status {};
  if (fstat(descriptor.number(), &status) != 0) return failed<OpenFile>(errno);
  if (!S_ISREG(status.st_mode)) return refused<OpenFile>("it is no regular file");
  if (judge) {
    if (std::string why = distrust(status); !why.empty()) return refused<OpenFile>(std::move(why));
    // None at all: another process has just put a new file in its place.
    if (status.st_nlink > 1) return refused<OpenFile>("it has another name");
  }
  return {OpenFile(std::move(descriptor), static_cast<std::uint64_t>(status.st_size)), {}, false};
}

// Makes the folder and what is missing above it; errno, or 0.
int make_folders(const fs::path& folder) {
  if (mkdir(folder.c_str(), owner_alone) == 0 || errno == EEXIST) return 0;
  const int error = errno;
  const fs::path parent = folder.parent_path();
  if (error != ENOENT || parent.empty() || parent == folder) return error;
  if (const int above = make_folders(parent); above != 0) return above;
  return mkdir(folder.c_str(), owner_alone) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

bool OpenFile::read(std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t count = ::read(descriptor_.number(), to.data(), to.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::string> OpenFile::text() {
  std::string content(bytes_, '\0');
  if (!read(std::as_writable_bytes(std::span(content)))) return {};
  return content;
}

void OpenFile::touch() const noexcept {
  const timespec times[]{{0, UTIME_OMIT}, {0, UTIME_NOW}};
  (void)futimens(descriptor_.number(), times);
}

Opened<OpenFile> open_regular(const fs::path& file) {
  auto opened = open_file(AT_FDCWD, file.c_str(), false);
  if (!opened.thing && opened.problem.empty()) opened.problem = words_of(ENOENT);
  return opened;
}

Opened<PrivateFolder> PrivateFolder::open(const fs::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor || fstat(descriptor.number(), &status) != 0) {
    return failed<PrivateFolder>(errno);
  }
  if (std::string why = distrust(status); !why.empty()) {
    return refused<PrivateFolder>(std::move(why));
  }
  return {PrivateFolder(std::move(descriptor)), {}, false};
}

Opened<PrivateFolder> PrivateFolder::make(const fs::path& folder) {
  auto opened = open(folder);
  if (opened.thing || !opened.problem.empty()) return opened;
  if (const int error = make_folders(folder); error != 0) return {{}, words_of(error), false};
  // What others may have put there meanwhile is judged as if it had been there before.
  opened = open(folder);
  if (!opened.thing && opened.problem.empty()) opened.problem = words_of(ENOENT);
  return opened;
}

Opened<OpenFile> PrivateFolder::file(const std::string& name) const {
  return open_file(descriptor_.number(), name.c_str(), true);
}

std::string PrivateFolder::write(const std::string& name,
                                 std::initializer_list<std::string_view> parts) const {
  const std::string digits = random_digits();
  if (digits.empty()) return words_of(errno);
  const std::string temporary = name + '.' + digits;
  const int folder = descriptor_.number();
  Descriptor file(openat(folder, temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         owner_reads_and_writes));
  if (!file) return words_of(errno);
  bool well = true;
  for (const std::string_view part : parts) well = well && write_all(file, part);
  well = well && file.close() && renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
  if (well) return {};
  const int error = errno;
  (void)remove(temporary);
  return words_of(error);
}

std::vector<PrivateFolder::Entry> PrivateFolder::entries() const {
  std::vector<Entry> all;
  // Reading it moves a position: that of a descriptor of its own.
  Descriptor again(openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(again.number()), closedir);
  if (!listing) return all;
  again.release();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread reads this listing.
  while (const dirent* entry = readdir(listing.get())) {
    struct stat status {};
    if (fstatat(descriptor_.number(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    all.push_back({entry->d_name, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                   status.st_mtim.tv_nsec});
  }
  return all;
}

bool PrivateFolder::remove(const std::string& name) const {
  return unlinkat(descriptor_.number(), name.c_str(), 0) == 0;
}

}  // namespace bifold::core
