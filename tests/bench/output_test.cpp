// Where the tool's documents go: whole, to what an option names and nothing else; and no failed
// write goes untold.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/output_file.hpp"
#include "base/usage_error.hpp"
#include "core/base/descriptor.hpp"
#include "support/bench_tool.hpp"
#include "support/made_up_run.hpp"

namespace {

namespace fs = std::filesystem;
using bifold::core::Descriptor;
using bifold::test::check_one_line;
using bifold::test::check_refused;
using bifold::test::has_cpu_device;
using bifold::test::made_up_run;
using bifold::test::run_tool;
using bifold::test::run_tool_onto;
using bifold::test::Scratch;
using bifold::test::text_of;
using Json = nlohmann::json;
using Outcome = bifold::test::ToolOutcome;

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// As the tool does it for each option.
void write_document(const fs::path& file, const std::string& text) {
  bench::check_writable("--json", file);
  bench::write_whole("--json", file, text);
}

unsigned mode_of(const fs::path& file) {
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

/// Soft limit on the length of files while it lives; what exceeds it is a failed write.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_SUITE_BEGIN("bench output");

TEST_CASE("a regular file is replaced, with its mode, and nothing else is touched") {
  const Scratch scratch;
  const fs::path file = scratch / "out.json";
  write_file(file, "old");
  write_file(scratch / "out.json.tmp", "precious");
  fs::permissions(file, static_cast<fs::perms>(0640));
  write_document(file, "new");
  CHECK(text_of(file) == "new");
  CHECK(mode_of(file) == 0640);
  CHECK(text_of(scratch / "out.json.tmp") == "precious");
  const mode_t mask = umask(027);
  write_document(scratch / "another", "new");
  umask(mask);
  CHECK(mode_of(scratch / "another") == 0640);
  CHECK(names_in(scratch / "") == std::vector<std::string>{"another", "out.json", "out.json.tmp"});
}

TEST_CASE("links are followed to what they lead to, and stay") {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  write_file(scratch / "folder/target", "old");
  fs::create_symlink("folder/middle", scratch / "link");
  fs::create_symlink("target", scratch / "folder/middle");
  write_document(scratch / "link", "new");
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(fs::is_symlink(scratch / "folder/middle"));
  CHECK(text_of(scratch / "folder/target") == "new");
  // To what is not there yet.
  fs::create_symlink(scratch / "folder/absent", scratch / "dangling");
  write_document(scratch / "dangling", "new");
  CHECK(fs::is_symlink(scratch / "dangling"));
  CHECK(text_of(scratch / "folder/absent") == "new");
  CHECK(names_in(scratch / "folder") == std::vector<std::string>{"absent", "middle", "target"});
  fs::create_symlink("loop", scratch / "loop");
  CHECK_THROWS_AS(bench::check_writable("--json", scratch / "loop"), bench::UsageError);
  fs::create_symlink("folder", scratch / "to_folder");
  CHECK_THROWS_AS(bench::check_writable("--json", scratch / "to_folder"), bench::UsageError);
}

TEST_CASE("a FIFO gets the document, once, and stays a FIFO") {
  const Scratch scratch;
  const fs::path fifo = scratch / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Descriptor end(open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  REQUIRE(end);
  std::atomic<bool> written{false};
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (;;) {
      const bool last = written;
      const ssize_t count = read(end.number(), part.data(), part.size());
      if (count > 0) got.append(part.data(), static_cast<std::size_t>(count));
      if (count <= 0 && last) return;
      if (count <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const Outcome outcome = run_tool({"list", "--json", fifo});
  written = true;
  reader.join();
  CHECK(fs::is_fifo(fifo));
  CHECK(outcome.status == 0);
  REQUIRE(got.starts_with("{"));
  CHECK(Json::parse(got).at("schema") == "bifold-bench");
  CHECK(names_in(scratch / "") == std::vector<std::string>{"fifo"});
}

TEST_CASE("a device is written to and stays one") {
  const Scratch scratch;
  fs::create_symlink("/dev/null", scratch / "link");
  write_document(scratch / "link", "document");
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(fs::is_character_file("/dev/null"));
  const fs::path node = scratch / "null";
  if (mknod(node.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) {
    write_document(node, "document");
    CHECK(fs::is_character_file(node));
  } else {
    MESSAGE("SKIPPED: only root can make a device node");
  }
}

TEST_CASE("what there was is whole after a failure at any byte") {
  const Scratch scratch;
  const fs::path file = scratch / "out.json";
  const std::string old = "what there was";
  const std::string document(300, 'x');
  for (rlim_t bytes = 0; bytes <= document.size(); ++bytes) {
    write_file(file, old);
    bool failed = false;
    {
      const FileLimit limit(bytes);
      try {
        bench::write_whole("--json", file, document);
      } catch (const std::runtime_error&) {
        failed = true;
      }
    }
    CAPTURE(bytes);
    CHECK(failed == (bytes < document.size()));
    CHECK(text_of(file) == (failed ? old : document));
    CHECK(names_in(scratch / "") == std::vector<std::string>{"out.json"});
  }
}

TEST_CASE("a document that cannot be written gives status 1 and one line") {
  const Scratch scratch;
  fs::create_symlink("/dev/full", scratch / "full");
  const Outcome outcome = run_tool({"list", "--json", scratch / "full"});
  CHECK(outcome.status == 1);
  check_one_line(outcome.error, "No space left on device");
  CHECK(fs::is_symlink(scratch / "full"));
}

TEST_CASE("a file that must not be written is refused before anything is measured") {
  const Scratch scratch;
  write_file(scratch / "kept", "kept");
  fs::permissions(scratch / "kept", static_cast<fs::perms>(0400));
  if (geteuid() != 0) check_refused({"list", "--json", scratch / "kept"}, "Permission denied");
  // What a suite keeps meanwhile lies beside its document.
  write_file(scratch / "run.json.partial", "somebody else's");
  check_refused(
      {"run", "--suite", "quick", "--device", "opencl:cpu", "--json", scratch / "run.json"},
      "run.json.partial");
  CHECK(text_of(scratch / "run.json.partial") == "somebody else's");
}

TEST_CASE("a dash is the standard output, which has then nothing but the document") {
  const Outcome outcome = run_tool({"list", "--json", "-"});
  CHECK(outcome.status == 0);
  CHECK(Json::parse(outcome.out).at("schema") == "bifold-bench");
  CHECK(outcome.error == run_tool({"list"}).out);
  CHECK_FALSE(fs::exists("-"));
  check_refused({"gallery", "--list", "--json", "-", "--markdown", "-"}, "--json has");
  const Outcome rows = run_tool({"gallery", "--list", "--markdown=-"});
  CHECK(rows.status == 0);
  CHECK(rows.out.starts_with("| "));
}

TEST_CASE("a path that is the standard output adds to what is there") {
  const Scratch scratch;
  const fs::path file = scratch / "out";
  const Descriptor output(open(file.c_str(), O_WRONLY | O_CREAT, 0600));
  CHECK(run_tool_onto(output.number(), {"list", "--json", "/dev/stdout"}).status == 0);
  const std::string text = text_of(file);
  const std::string table = run_tool({"list"}).out;
  REQUIRE(text.starts_with(table));
  CHECK(Json::parse(text.substr(table.size())).at("schema") == "bifold-bench");
}

TEST_CASE("what cannot be written to the standard output gives status 1 and one line") {
  const Scratch scratch;
  const fs::path run = scratch / "run.json";
  bifold::test::write(run, made_up_run());
  std::vector<std::vector<std::string>> commands{{"--help"},
                                                 {"--version"},
                                                 {"run", "--help"},
                                                 {"list"},
                                                 {"list", "--json", "-"},
                                                 {"compare", run},
                                                 {"gallery", "--list"},
                                                 {"accuracy", "--max-size", "1024"}};
  if (has_cpu_device()) {
    commands.push_back({"run", "--device=opencl:cpu", "--size=100", "--seconds=0.001", "--type=i32",
                        "--algorithm=reduce"});
    commands.push_back(
        {"tune", "--device=opencl:cpu", "--type=i32", "--seconds=0.001", "--size=100,200,300"});
  }
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const Descriptor without_reader(pipe_ends[1]);
  close(pipe_ends[0]);
  const Descriptor full(open("/dev/full", O_WRONLY));
  REQUIRE(full);
  for (const auto& command : commands) {
    CAPTURE(command.front());
    CAPTURE(command.back());
    const auto check = [&](int output, const char* words) {
      const Outcome outcome = run_tool_onto(output, command);
      CHECK(outcome.status == 1);
      // The table is there instead where the document has the standard output.
      const std::string& error = outcome.error;
      const std::size_t last = error.rfind("bifold-bench: ");
      REQUIRE(last != std::string::npos);
      check_one_line(error.substr(last), words);
    };
    check(full.number(), "No space left on device");
    if (command.size() > 2) continue;
    check(without_reader.number(), "Broken pipe");
    check(-1, "Bad file descriptor");
  }
  // Nothing that was measured is lost by it.
  CHECK(run_tool_onto(full.number(), {"list", "--json", scratch / "list.json"}).status == 1);
  CHECK(Json::parse(text_of(scratch / "list.json")).at("schema") == "bifold-bench");
}

TEST_SUITE_END();

}  // namespace
