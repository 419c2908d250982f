// The kernel cache on disk is only an optimisation: whatever happens to it, results are right.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/environment.hpp"
#include "support/variable.hpp"

namespace bifold {

namespace fs = std::filesystem;

namespace {

CacheOptions cache_in(const fs::path& folder) {
  CacheOptions options;
  options.directory = folder;
  return options;
}

/// Opens the device anew on that cache, computes, and tells what the cache did. Computes wrong:
/// a failed check.
CacheStatistics use(const CacheOptions& options) {
  const Device device = test::open_again(options);
  Queue queue(device);
  std::vector<std::int32_t> host(5'000, 3);
  host[4'999] = -7;
  auto data = queue.upload(std::span<const std::int32_t>(host));
  CHECK(reduce(queue, data, plus, 1) == 3 * 4'999 - 7 + 1);
  return device.cache_statistics();
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << bytes;
  REQUIRE(stream.good());
}

std::uint64_t total_size(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& file : entries(folder)) bytes += fs::file_size(file);
  return bytes;
}

/// Damages every entry of a warm cache by `damage`, then expects the same work as without a cache
/// and a cache that is whole again afterwards.
template <class Damage>
void check_damage(const char* what, bool counted_as_rejected, Damage damage) {
  INFO(what);
  const fs::path folder = test::fresh_folder("damaged");
  const CacheStatistics cold = use(cache_in(folder));
  REQUIRE(cold.compiled >= 1);
  const auto files = entries(folder);
  REQUIRE_FALSE(files.empty());
  for (const auto& file : files) damage(file);
  const CacheStatistics after = use(cache_in(folder));
  CHECK(after.compiled == cold.compiled);
  CHECK(after.from_disk == 0);
  if (counted_as_rejected) CHECK(after.rejected >= 1);
  const CacheStatistics healed = use(cache_in(folder));
  CHECK(healed.compiled == 0);
  CHECK(healed.from_disk == cold.compiled);
  CHECK(healed.rejected == 0);
}

}  // namespace

TEST_SUITE_BEGIN("cache");

TEST_CASE("a second run loads what the first compiled") {
  const fs::path folder = test::fresh_folder("warm");
  const CacheStatistics cold = use(cache_in(folder));
  CHECK(cold.compiled >= 1);
  CHECK(cold.from_disk == 0);
  CHECK(cold.compile_seconds > 0);
  const CacheStatistics warm = use(cache_in(folder));
  CHECK(warm.compiled == 0);
  CHECK(warm.from_disk == cold.compiled);
  CHECK(warm.rejected == 0);
}

TEST_CASE("one process compiles a program once, whatever asks for it") {
  CacheOptions memory_only;
  memory_only.disk = false;
  const Device device = test::open_again(memory_only);
  warm(device, ReduceShape{});
  const auto compiled = device.cache_statistics().compiled;
  CHECK(compiled >= 1);
  warm(device, ReduceShape{});
  const ReducePlan plan(device, {});
  Queue queue(device);
  auto data = queue.allocate<std::int32_t>(10);
  queue.fill(data, 2);
  CHECK(reduce(queue, data, plus, 0) == 20);
  CHECK(device.cache_statistics().compiled == compiled);
}

TEST_CASE("programs beyond the limit go from memory, those that were not used for long first") {
  CacheOptions options;
  options.disk = false;
  options.programs = 16;
  const Device device = test::open_again(options);
  Queue queue(device);
  auto data = queue.allocate<std::int32_t>(10);
  queue.fill(data, 2);
  const auto map_of = [](int i) { return Map("x * " + std::to_string(i)); };
  const auto compiled_by = [&](int i) {
    const auto before = device.cache_statistics().compiled;
    CHECK(transform_reduce(queue, data, plus, 0, map_of(i)) == 20 * i);
    return device.cache_statistics().compiled - before;
  };
  const std::uint64_t each = compiled_by(0);
  REQUIRE(each >= 1);
  // One of an application's own, made when programs may go already.
  int next = 1;
  while (device.cache_statistics().programs < options.programs / 2) compiled_by(next++);
  const int last_to_stay = next - 1;
  const int own = next++;
  const ReducePlan plan(device, {.map = map_of(own)});
  const int often = next++;
  compiled_by(often);
  const int once = next++;
  compiled_by(once);
  compiled_by(often);
  const std::uint64_t most = options.programs + each;
  for (int i = 0; i < 14; ++i) {
    CHECK(compiled_by(next++) >= 1);
    CHECK(compiled_by(often) == 0);
    CHECK(device.cache_statistics().programs <= most);
  }
  for (int i = 0; i <= last_to_stay; ++i) CHECK(compiled_by(i) == 0);
  auto result = queue.allocate<std::int32_t>(1);
  const auto before = device.cache_statistics().compiled;
  plan.run(queue, erase(data), erase(result), {});
  CHECK(queue.download(result)[0] == 20 * own);
  CHECK(device.cache_statistics().compiled == before);
  CHECK(compiled_by(once) >= 1);
}

TEST_CASE("switched off, the disk stays untouched") {
  const fs::path folder = test::fresh_folder("off");
  CacheOptions options = cache_in(folder);
  options.disk = false;
  CHECK(use(options).compiled >= 1);
  CHECK(entries(folder).empty());
  CHECK(use(options).from_disk == 0);
}

TEST_CASE("switched off by the environment, the disk stays untouched as well") {
  const fs::path folder = test::fresh_folder("off-by-environment");
  {
    const test::Variable disable("BIFOLD_CACHE_DISABLE", "1");
    CHECK(use(cache_in(folder)).compiled >= 1);
    CHECK(entries(folder).empty());
  }
  for (const char* no : {"0", ""}) {
    INFO("set to \"", no, "\"");
    const test::Variable disable("BIFOLD_CACHE_DISABLE", no);
    (void)use(cache_in(folder));
    CHECK_FALSE(entries(folder).empty());
    CHECK(use(cache_in(folder)).from_disk >= 1);
  }
}

TEST_CASE("truncated entries are compiled again") {
  for (const double share : {0.0, 0.01, 0.5, 0.99}) {
    check_damage("truncated", true, [share](const fs::path& file) {
      fs::resize_file(
          file, static_cast<std::uintmax_t>(share * static_cast<double>(fs::file_size(file))));
    });
  }
  check_damage("one byte short", true,
               [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); });
}

TEST_CASE("flipped bits anywhere are noticed before a driver sees them") {
  for (const double place : {0.0, 0.001, 0.1, 0.35, 0.7, 0.95, 1.0}) {
    check_damage("bit flipped", true, [place](const fs::path& file) {
      std::string bytes = read(file);
      const auto at = static_cast<std::size_t>(place * static_cast<double>(bytes.size() - 1));
      bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
      write(file, bytes);
    });
  }
}

TEST_CASE("foreign content, appended bytes and zeros are compiled again") {
  check_damage("text", true, [](const fs::path& file) { write(file, "not a kernel\n"); });
  check_damage("appended", true, [](const fs::path& file) { write(file, read(file) + "x"); });
  check_damage("zeros", true,
               [](const fs::path& file) { write(file, std::string(fs::file_size(file), '\0')); });
  check_damage("removed", false, [](const fs::path& file) { fs::remove(file); });
}

TEST_CASE("an entry that others could have written is compiled again") {
  check_damage("others may write", true, [](const fs::path& file) {
    fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  });
  check_damage("another name", true, [](const fs::path& file) {
    fs::create_hard_link(file, test::fresh_folder("other-names") / file.filename());
  });
}

TEST_CASE("a folder that others can write to is not used, and calls are right without") {
  const fs::path folder = test::fresh_folder("open-to-others");
  fs::permissions(folder, fs::perms::all);
  const CacheStatistics first = use(cache_in(folder));
  CHECK(first.compiled >= 1);
  CHECK(entries(folder).empty());
  CHECK(use(cache_in(folder)).compiled == first.compiled);
}

TEST_CASE("the entry of another program under this program's name is refused") {
  const fs::path folder = test::fresh_folder("swapped");
  const CacheStatistics cold = use(cache_in(folder));
  const auto own = entries(folder);
  const fs::path elsewhere = test::fresh_folder("swapped-other");
  {
    const Device device = test::open_again(cache_in(elsewhere));
    warm(device, ReduceShape{.input = Type::u16, .accumulator = Type::u16, .op = bit_xor});
  }
  const auto others = entries(elsewhere);
  REQUIRE_FALSE(others.empty());
  for (const auto& file : own) write(file, read(others[0]));
  const CacheStatistics after = use(cache_in(folder));
  CHECK(after.compiled == cold.compiled);
  CHECK(after.rejected >= 1);
}

TEST_CASE("a cache folder that cannot be made or written changes nothing") {
  const fs::path folder = test::fresh_folder("unwritable");
  // A file where the folder should be: not even a privileged user can write into it.
  write(folder / "file", "occupied");
  const CacheStatistics occupied = use(cache_in(folder / "file"));
  CHECK(occupied.compiled >= 1);
  CHECK(read(folder / "file") == "occupied");
  CHECK(use(cache_in(folder / "file" / "below")).compiled == occupied.compiled);
  const fs::path closed = folder / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(use(cache_in(closed)).compiled + use(cache_in(closed)).compiled >= 1);
  fs::permissions(closed, fs::perms::owner_all);
  // A folder where an entry should be.
  const fs::path blocked = test::fresh_folder("blocked");
  const CacheStatistics cold = use(cache_in(blocked));
  for (const auto& file : entries(blocked)) {
    fs::remove(file);
    fs::create_directory(file);
  }
  CHECK(use(cache_in(blocked)).compiled == cold.compiled);
}

TEST_CASE("a missing cache folder is made") {
  const fs::path folder = test::fresh_folder("nested") / "a" / "b";
  const CacheStatistics cold = use(cache_in(folder));
  CHECK_FALSE(entries(folder).empty());
  CHECK(use(cache_in(folder)).from_disk == cold.compiled);
}

TEST_CASE("beyond the size limit the oldest entries go") {
  const fs::path folder = test::fresh_folder("limited");
  const auto compile = [&](Type type, std::uint64_t limit) {
    CacheOptions options = cache_in(folder);
    options.limit_bytes = limit;
    const Device device = test::open_again(options);
    warm(device, ReduceShape{.input = type, .accumulator = type});
    return device.cache_statistics();
  };
  const std::uint64_t no_limit = std::uint64_t{1} << 40;
  const auto first = compile(Type::u8, no_limit);
  const std::uint64_t one = total_size(folder);
  const auto first_files = entries(folder);
  REQUIRE(one > 0);
  // What the third type's take, of which a device may have more than of the others.
  const fs::path apart = test::fresh_folder("unlimited");
  warm(test::open_again(cache_in(apart)),
       ReduceShape{.input = Type::u32, .accumulator = Type::u32});
  const std::uint64_t third = total_size(apart);
  // Ages that no file system's clock can blur.
  for (const auto& file : first_files) {
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(2));
  }
  compile(Type::u16, no_limit);
  const std::uint64_t limit = total_size(folder) + third - one / 2;
  compile(Type::u32, limit);
  CHECK(total_size(folder) <= limit);
  // Of the oldest programs some are gone; the younger ones are all there.
  const auto kept = std::count_if(first_files.begin(), first_files.end(),
                                  [](const fs::path& file) { return fs::exists(file); });
  CHECK(kept < static_cast<std::ptrdiff_t>(first_files.size()));
  CHECK(compile(Type::u16, no_limit).compiled == 0);
  CHECK(compile(Type::u32, no_limit).compiled == 0);
  CHECK(compile(Type::u8, no_limit).compiled == first.compiled - static_cast<unsigned>(kept));
  // A limit that nothing fits in is no error.
  CHECK(compile(Type::i64, 1).compiled >= 1);
  CHECK(total_size(folder) <= no_limit);
}

TEST_CASE("an entry that claims more than any memory is refused unread") {
  check_damage("sparse", true,
               [](const fs::path& file) { fs::resize_file(file, std::uintmax_t{1} << 42); });
}

TEST_CASE("eviction leaves files alone that are not the cache's") {
  const fs::path folder = test::fresh_folder("guests");
  const std::vector<fs::path> guests{folder / "notes.kernel", folder / "my.kernel.cl",
                                     folder / "0123456789abcdef0123456789abcdef.kernel.txt"};
  for (const auto& guest : guests) {
    write(guest, std::string(100'000, 'g'));
    fs::last_write_time(guest, fs::last_write_time(guest) - std::chrono::hours(2));
  }
  CacheOptions options = cache_in(folder);
  options.limit_bytes = 50'000;
  use(options);
  for (const auto& guest : guests) CHECK(fs::file_size(guest) == 100'000);
}

TEST_CASE("processes and devices that fill one cache at once do not disturb each other") {
  const fs::path folder = test::fresh_folder("shared");
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        const Device device = test::open_again(cache_in(folder));
        Queue queue(device);
        auto data = queue.allocate<std::int32_t>(100);
        queue.fill(data, 5);
        if (reduce(queue, data, plus, 0) != 500) ++failures;
      } catch (const std::exception&) {
        ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(use(cache_in(folder)).compiled == 0);
}

TEST_SUITE_END();

}  // namespace bifold
