// Files beside the kernel cache trust nobody: what others could have written is not read, and what
// is written is for the owner alone, under names that nobody can foretell.
#include "support/kept_files.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <bifold/gallery.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/gallery/self_check.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/kernel/cache_files.hpp"
#include "core/kernel/disk_cache.hpp"
#include "support/cases/named_row.hpp"
#include "support/environment.hpp"
#include "support/messages.hpp"
#include "support/variable.hpp"

namespace bifold {

namespace fs = std::filesystem;

namespace {

using test::cache_in;
using test::made_up_device;
using test::read_file;
using test::Warnings;
using test::write_file;

constexpr uid_t another_user = 12345;

/// The files are written, whatever the test was started with.
struct OnDisk {
  test::Variable disable{"BIFOLD_CACHE_DISABLE"};
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// One of the files that lie there: how the library writes it, and whether it believes it.
struct Kind {
  const char* name;
  void (*store)(const CacheOptions& options);
  bool (*loads)(const CacheOptions& options);
};

const gallery::Variant& vector_row() { return test::named_row(Algorithm::reduce, "vector"); }

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"kernel",
       [](const CacheOptions& options) {
         core::DiskCache(options).store("key", bytes_of("machine code"));
       },
       [](const CacheOptions& options) {
         return !core::DiskCache(options).load("key").binary.empty();
       }},
      {"self_check",
       [](const CacheOptions& options) {
         core::SelfCheckResult self_check;
         self_check.set({&vector_row(), core::Judged::integers, {}});
         (void)core::store_self_check(options, made_up_device(), "kernels", self_check);
       },
       [](const CacheOptions& options) {
         return !core::load_self_check(options, made_up_device(), "kernels").findings().empty();
       }},
      {"tuning",
       [](const CacheOptions& options) {
         core::Tunings tunings;
         tunings.set({&vector_row(), {core::ElementClass::Kind::integer, 4}, {.unroll = 8}});
         (void)core::write_atomically(core::tuning_file(options, made_up_device()),
                                      {core::tuning_text(made_up_device(), "", tunings)});
       },
       [](const CacheOptions& options) {
         DeviceOptions device;
         device.cache = options;
         return !core::load_tunings(device, made_up_device(), "").rows().empty();
       }}};
  return all;
}

std::vector<fs::path> all_in(const fs::path& folder) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path());
  return names;
}

/// The one file there.
fs::path file_in(const fs::path& folder) {
  const auto names = all_in(folder);
  REQUIRE(names.size() == 1);
  return names.front();
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

bool is_root() {
  if (geteuid() == 0) return true;
  MESSAGE("SKIPPED: only root can give a file away");
  return false;
}

/// The umask while it lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

/// Lets `change` at a file that is as it should be. It has to be ignored with one warning that
/// names it and says `why`, and replaced by the next one that is stored.
void check_refused(const std::string& what, const std::string& why,
                   const std::function<void(const fs::path&)>& change) {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    CAPTURE(what);
    const fs::path folder = test::fresh_folder("kept") / (what + "-" + kind.name);
    const CacheOptions options = cache_in(folder);
    kind.store(options);
    REQUIRE(kind.loads(options));
    const fs::path file = file_in(folder);
    change(file);
    {
      const Warnings warnings;
      CHECK_FALSE(kind.loads(options));
      CHECK(warnings.count() == 1);
      CHECK(warnings.mention(file.string()));
      CHECK_MESSAGE(warnings.mention(why), why);
    }
    if (fs::is_directory(fs::symlink_status(file))) continue;
    kind.store(options);
    CHECK(kind.loads(options));
    CHECK(mode_of(file) == 0600);
  }
}

/// Expects a folder not to be used, and one warning for all who would.
void check_folder_refused(const std::string& what, const std::string& why,
                          const std::function<void(const fs::path&)>& change) {
  CAPTURE(what);
  const fs::path folder = test::fresh_folder("refused") / what;
  const CacheOptions options = cache_in(folder);
  for (const Kind& kind : kinds()) kind.store(options);
  REQUIRE(all_in(folder).size() == kinds().size());
  change(folder);
  {
    const Warnings warnings;
    for (const Kind& kind : kinds()) CHECK_FALSE(kind.loads(options));
    CHECK(warnings.count() == 1);
    CHECK(warnings.mention(folder.string()));
    CHECK_MESSAGE(warnings.mention(why), why);
    for (const auto& file : all_in(folder)) fs::remove(file);
    for (const Kind& kind : kinds()) kind.store(options);
    CHECK(all_in(folder).empty());
    CHECK(warnings.count() == 1);
  }
  REQUIRE(chown(folder.c_str(), geteuid(), getegid()) == 0);
  fs::permissions(folder, static_cast<fs::perms>(0755));
  for (const Kind& kind : kinds()) kind.store(options);
  for (const Kind& kind : kinds()) CHECK(kind.loads(options));
}

}  // namespace

TEST_SUITE_BEGIN("kept_files");

TEST_CASE_FIXTURE(OnDisk, "what is made is for its owner alone, whatever the umask") {
  for (const mode_t mask : {mode_t{0}, mode_t{002}, mode_t{022}, mode_t{077}}) {
    CAPTURE(mask);
    const fs::path above = test::fresh_folder("made") / "above";
    const Umask masked(mask);
    for (const Kind& kind : kinds()) {
      CAPTURE(kind.name);
      const fs::path folder = above / kind.name;
      kind.store(cache_in(folder));
      CHECK(mode_of(above) == 0700);
      CHECK(mode_of(folder) == 0700);
      CHECK(mode_of(file_in(folder)) == 0600);
      CHECK(kind.loads(cache_in(folder)));
    }
  }
}

TEST_CASE_FIXTURE(OnDisk,
                  "a file that others could have written is refused, and the reason is told once") {
  for (const unsigned mode : {0620U, 0602U, 0666U}) {
    check_refused(
        "mode-" + std::to_string(mode), "others may write to it",
        [mode](const fs::path& file) { fs::permissions(file, static_cast<fs::perms>(mode)); });
  }
  check_refused("two names", "another name", [](const fs::path& file) {
    fs::create_hard_link(file, file.parent_path().string() + "-other");
  });
  // Even to a file that would be believed.
  check_refused("link", "a link", [](const fs::path& file) {
    const fs::path target = file.parent_path().string() + "-target";
    fs::rename(file, target);
    fs::create_symlink(target, file);
  });
  if (!is_root()) return;
  check_refused("another user's", "another user's", [](const fs::path& file) {
    REQUIRE(chown(file.c_str(), another_user, another_user) == 0);
  });
}

TEST_CASE_FIXTURE(OnDisk, "what a link in the place of a file leads to stays as it is") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const fs::path folder = test::fresh_folder("replaced") / kind.name;
    kind.store(cache_in(folder));
    const fs::path file = file_in(folder);
    fs::remove(file);
    const fs::path target = test::fresh_folder("target") / "file";
    write_file(target, "precious");
    fs::create_symlink(target, file);
    kind.store(cache_in(folder));
    CHECK(kind.loads(cache_in(folder)));
    CHECK(read_file(target) == "precious");
  }
}

TEST_CASE_FIXTURE(
    OnDisk, "a FIFO, a socket or a folder in the place of a file is refused without waiting") {
  check_refused("fifo", "no regular file", [](const fs::path& file) {
    fs::remove(file);
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  });
  check_refused("folder", "no regular file", [](const fs::path& file) {
    fs::remove(file);
    fs::create_directory(file);
  });
  // The system itself refuses to open one.
  const fs::path folder = test::fresh_folder("socket");
  kinds().front().store(cache_in(folder));
  const fs::path file = file_in(folder);
  fs::remove(file);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = file.filename();
  REQUIRE(name.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  const int bound = bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  fs::current_path(before);
  close(listener);
  REQUIRE(bound == 0);
  const auto found = core::DiskCache(cache_in(folder)).load("key");
  CHECK(found.binary.empty());
  CHECK(found.rejected);
}

TEST_CASE_FIXTURE(OnDisk,
                  "a folder that others can write to, or own, is not used, and all say so once") {
  for (const unsigned mode : {0770U, 0702U, 01777U}) {
    check_folder_refused(
        "mode-" + std::to_string(mode), "others may write to it",
        [mode](const fs::path& folder) { fs::permissions(folder, static_cast<fs::perms>(mode)); });
  }
  if (!is_root()) return;
  check_folder_refused("another user's", "another user's", [](const fs::path& folder) {
    REQUIRE(chown(folder.c_str(), another_user, another_user) == 0);
  });
}

TEST_CASE_FIXTURE(OnDisk, "a folder may be given through a link, and is judged itself") {
  const fs::path above = test::fresh_folder("linked");
  fs::create_directory_symlink("folder", above / "link");
  fs::create_directory(above / "folder");
  const CacheOptions options = cache_in(above / "link");
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    fs::permissions(above / "folder", static_cast<fs::perms>(0755));
    kind.store(options);
    CHECK(kind.loads(options));
    fs::permissions(above / "folder", static_cast<fs::perms>(0777));
    CHECK_FALSE(kind.loads(options));
  }
}

TEST_CASE_FIXTURE(OnDisk, "a name that is another file's a moment later gets nothing through") {
  const fs::path folder = test::fresh_folder("flipped");
  const fs::path elsewhere = test::fresh_folder("flipped-elsewhere");
  core::DiskCache(cache_in(folder)).store("key", bytes_of("good"));
  core::DiskCache(cache_in(elsewhere)).store("key", bytes_of("evil"));
  const fs::path file = file_in(folder);
  const std::string good = read_file(file);
  const fs::path evil = file_in(elsewhere);
  if (geteuid() == 0) REQUIRE(chown(evil.c_str(), another_user, another_user) == 0);
  std::atomic<bool> end{false};
  std::thread flipper([&] {
    const fs::path next = folder / "next";
    for (unsigned i = 0; !end; ++i) {
      if (i % 2 == 0) {
        fs::create_symlink(evil, next);
      } else {
        write_file(next, good);
      }
      fs::rename(next, file);
    }
  });
  unsigned loaded = 0;
  unsigned wrong = 0;
  for (unsigned i = 0; i < 20'000 || (loaded == 0 && i < 1'000'000); ++i) {
    const auto binary = core::DiskCache(cache_in(folder)).load("key").binary;
    if (binary.empty()) continue;
    ++loaded;
    if (binary.front() != static_cast<std::byte>('g')) ++wrong;
  }
  end = true;
  flipper.join();
  CHECK(loaded > 0);
  CHECK(wrong == 0);
}

TEST_CASE_FIXTURE(OnDisk, "temporary names cannot be taken in advance") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const fs::path folder = test::fresh_folder("foretold") / kind.name;
    kind.store(cache_in(folder));
    const fs::path file = file_in(folder);
    fs::remove(file);
    const fs::path target = test::fresh_folder("foretold-target") / "file";
    write_file(target, "precious");
    // What earlier versions called them.
    for (int i = 1; i < 400; ++i) {
      const std::string name =
          file.string() + "." + std::to_string(getpid()) + "." + std::to_string(i);
      fs::create_symlink(target, name);
    }
    kind.store(cache_in(folder));
    CHECK(read_file(target) == "precious");
    CHECK(kind.loads(cache_in(folder)));
    CHECK(all_in(folder).size() == 400);
  }
}

TEST_SUITE_END();

}  // namespace bifold
