// The tool's manners: what a terminal shows of it, rows as they are measured, and interrupts.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/grid.hpp"
#include "support/bench_tool.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace {

namespace fs = std::filesystem;
using bifold::test::check_refused;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::run_tool_onto;
using bifold::test::Scratch;
using bifold::test::text_of;
using Json = nlohmann::json;
using Outcome = bifold::test::ToolOutcome;

constexpr std::array subcommands{"list",     "run",     "compare", "gallery", "check", "tune",
                                 "accuracy", "startup", "stream",  "kernel",  "report"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, line.size());
  return width;
}

/// The tool with a terminal as its standard output.
Outcome run_on_terminal(const std::vector<std::string>& arguments) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  std::array<char, 128> name{};
  REQUIRE(ptsname_r(terminal, name.data(), name.size()) == 0);
  const int output = open(name.data(), O_RDWR | O_NOCTTY);
  REQUIRE(output >= 0);
  std::string shown;
  std::thread reader([&] {
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = read(terminal, some.data(), some.size())) > 0;) {
      shown.append(some.data(), static_cast<std::size_t>(got));
    }
  });
  Outcome outcome = run_tool_onto(output, arguments);
  close(output);  // The last one: the reader meets the end.
  reader.join();
  close(terminal);
  outcome.out = shown;
  return outcome;
}

/// Of every machine whose runs are kept.
std::vector<std::string> standard_runs() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(BIFOLD_SOURCE_DIR "/bench/results/standard")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> compare_standard_runs(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = standard_runs();
  arguments.insert(arguments.begin(), "compare");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Starts the tool, interrupts it once its output has `words`, and waits for its end.
Outcome interrupt(std::vector<std::string> arguments, const std::string& words) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string();
  const std::string error = (scratch / "error").string();
  arguments.insert(arguments.begin(), BIFOLD_BENCH_PATH);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, BIFOLD_BENCH_PATH, &actions, nullptr, pointers.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  bool ended = false;
  while (!ended && !contains(text_of(out), words)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ended = waitpid(child, &status, WNOHANG) == child;
  }
  // The row was there while the rest was still being measured.
  CHECK_MESSAGE(!ended, "the tool ended before \"", words, "\" was seen");
  if (!ended) {
    kill(child, SIGINT);
    REQUIRE(waitpid(child, &status, 0) == child);
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(error)};
}

}  // namespace

TEST_SUITE_BEGIN("bench manners");

TEST_CASE("a table breaks its words, then its columns, to stay within 100") {
  bench::Grid grid{{{"name"}, {"what it is"}, {"a", true}}, {}};
  grid.rows.push_back({"x", std::string(60, 'w') + " " + std::string(60, 'v'), "1"});
  std::string text = bench::as_text(grid, 2);
  CHECK(widest(text) <= 100);
  CHECK(lines_of(text).size() == 3);
  CHECK(contains(text, std::string(60, 'v')));
  grid = {{{"name"}}, {{"x"}}};
  for (int i = 0; i < 30; ++i) {
    grid.columns.push_back({"number " + std::to_string(i), true});
    grid.rows.front().push_back(std::to_string(1000 + i));
  }
  text = bench::as_text(grid, 2);
  CHECK(widest(text) <= 100);
  for (int i = 0; i < 30; ++i) CHECK(contains(text, std::to_string(1000 + i)));
  // Each part says which row it is of.
  const auto lines = lines_of(text);
  const auto named = std::count_if(
      lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("  x "); });
  CHECK(named == std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
          return line.starts_with("  name ");
        }));
  CHECK(named > 1);
}

TEST_CASE("nothing is wider than 100 columns on a terminal, unless it is asked for") {
  std::vector<std::vector<std::string>> all{{"list"},
                                            {"list", "--full"},
                                            {"gallery", "--list"},
                                            {"accuracy", "--max-size", "2^10"},
                                            {"--help"},
                                            compare_standard_runs(),
                                            compare_standard_runs({"--full"})};
  for (const char* command : subcommands) all.push_back({command, "--help"});
  if (has_cpu_device()) {
    all.push_back({"run", "--device", "opencl:cpu", "--size", "2^10", "--seconds", "0.001",
                   "--samples", "3", "--type", "i32,bf16,complex", "--op", "plus,logical_and",
                   "--variant", "production,chunks", "--order", "all"});
  }
  for (const auto& arguments : all) {
    const Outcome outcome = run_on_terminal(arguments);
    const std::string command = arguments.front() + " " + arguments.back();
    CAPTURE(command);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.size() > 100);
    for (const std::string& line : lines_of(outcome.out)) {
      CHECK_MESSAGE(line.size() <= 100, line);
    }
  }
  CHECK(widest(run_on_terminal({"gallery", "--list", "--wide"}).out) > 100);
  // A file is written no wider than a terminal is.
  CHECK(widest(run_tool({"gallery", "--list"}).out) <= 100);
}

TEST_CASE("list fits a screen a device, and says what production resolves to") {
  const std::string text = run_tool({"list"}).out;
  const std::size_t devices = bifold::devices().size();
  CAPTURE(text);
  CHECK(lines_of(text).size() <= 10 + 40 * devices);
  CHECK_FALSE(contains(text, "kernel variants"));
  if (!has_cpu_device()) return;
  CHECK(contains(text, "production resolves to"));
  const Scratch scratch;
  CHECK(contains(run_tool({"list", "--full", "--json", scratch / "list.json"}).out,
                 "kernel variants"));
  const Json document = Json::parse(text_of(scratch / "list.json"));
  for (const Json& device : document.at("devices")) {
    CAPTURE(device.dump());
    if (device.contains("problem")) continue;
    bool reduces = false;
    bool scans = false;
    for (const Json& line : device.at("production")) {
      const std::string variants = line.at("variants");
      (line.at("algorithm") == "scan" ? scans : reduces) = true;
      CHECK_FALSE(variants.empty());
      if (!variants.starts_with("none"))
        CHECK(contains(text, variants.substr(0, variants.find(' '))));
    }
    CHECK(reduces);
    CHECK(scans);
  }
}

TEST_CASE("gallery --list has a variant a line") {
  const auto lines = lines_of(run_tool({"gallery", "--list"}).out);
  for (const auto& variant : bifold::gallery::variants()) {
    const std::string begin(bifold::name_of(variant.algorithm));
    const auto count = std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      std::istringstream words(line);
      std::string algorithm;
      std::string name;
      words >> algorithm >> name;
      return algorithm == begin && name == variant.name;
    });
    CHECK_MESSAGE(count == 1, variant.name);
  }
}

TEST_CASE("compare shows bits, warnings and a summary in 60 lines, the rest when asked") {
  const Outcome summary = run_tool(compare_standard_runs());
  const Outcome full = run_tool(compare_standard_runs({"--full"}));
  CAPTURE(summary.out);
  CHECK(summary.status == 0);
  CHECK(summary.out.starts_with("Bits: "));
  CHECK(lines_of(summary.out).size() <= 60);
  CHECK(contains(summary.out, "At the largest size"));
  CHECK(contains(summary.out, "--full"));
  CHECK_FALSE(contains(summary.out, "At every size"));
  CHECK(full.out.starts_with("Bits: "));
  CHECK(contains(full.out, "At every size"));
  CHECK(lines_of(full.out).size() > 300);
  const auto devices = summary.out.find("Devices");
  const auto warning = summary.out.find("Warning: ");
  REQUIRE(warning != std::string::npos);
  CHECK(warning < devices);
}

TEST_CASE("an interrupted run has shown and kept what it measured") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path file = scratch / "run.json";
  const Outcome outcome = interrupt({"run", "--device", "opencl:cpu", "--type", "i32", "--seconds",
                                     "1", "--size", "2^10..2^20", "--json", file},
                                    "2^10");
  CAPTURE(outcome.out);
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.out, "Interrupted"));
  const Json document = Json::parse(text_of(file));
  CHECK(document.at("complete") == false);
  const std::size_t kept = document.at("results").size();
  CHECK(kept >= 1);
  CHECK(kept < 12);
  for (const Json& result : document.at("results")) CHECK(result.at("outcome") == "timed");
}

TEST_CASE("an interrupted check has shown and kept what it checked") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path file = scratch / "check.json";
  const Outcome outcome =
      interrupt({"check", "--device", "opencl:cpu", "--no-store", "--variant",
                 "chunks,order_v1_packs,order_v1_single_chunks,order_v1_drawn", "--json", file},
                "passed");
  CAPTURE(outcome.out);
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.out, "Interrupted"));
  const Json document = Json::parse(text_of(file));
  CHECK(document.at("complete") == false);
  std::size_t passed = 0;
  std::size_t left = 0;
  for (const Json& row : document.at("devices").at(0).at("rows")) {
    if (row.at("outcome") == "passed") ++passed;
    if (row.at("outcome") == "unchecked" && row.at("reason") == "interrupted") ++left;
  }
  CHECK(passed >= 1);
  CHECK(left >= 1);
}

TEST_CASE("an interrupted search for tuning values keeps what it has") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path file = scratch / "tuning";
  const Outcome outcome = interrupt({"tune", "--device", "opencl:cpu", "--type", "i32", "--size",
                                     "1000,2000,4000", "--seconds", "9", "--output", file},
                                    "reduce  ");
  CAPTURE(outcome.out);
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.out, "interrupted"));
  CHECK_FALSE(text_of(file).empty());
}

TEST_CASE("a page shows the run of one device") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const std::vector<std::string> arguments{
      "run",    "--device",  "opencl:cpu",        "--type", "f32",
      "--size", "2^10,2^12", "--seconds",         "0.001",  "--samples",
      "3",      "--html",    scratch / "run.html"};
  const Outcome outcome = run_tool(arguments);
  if (outcome.status == 2 && contains(outcome.error, "Chart.js")) return;
  CHECK(outcome.status == 0);
  const std::string page = text_of(scratch / "run.html");
  CHECK(contains(page, "<title>bifold: a run</title>"));
  CHECK(contains(page, "4 configurations"));
  CHECK(contains(page, "id=\"bandwidth\""));
  CHECK(contains(page, "2^12"));
  CHECK_FALSE(contains(page,
                       "@"
                       "TITLE@"));
  CHECK_FALSE(contains(page, "Warnings"));
  check_refused({"run", "--html", "/no/such/folder/page.html"}, "--html");
}

TEST_CASE("accuracy says what its columns are") {
  const std::string text = run_tool({"accuracy", "--max-size", "2^10"}).out;
  for (const char* column : {"left to right", "v1 reduce", "v1 scan", "compensated"}) {
    CHECK_MESSAGE(contains(text, std::string(column) + ": "), column);
  }
  CHECK(contains(text, "the median, then the worst"));
}

TEST_CASE("the help of every subcommand has two examples and the exit statuses") {
  for (const char* command : subcommands) {
    CAPTURE(std::string(command));
    const Outcome outcome = run_tool({command, "--help"});
    CHECK(outcome.status == 0);
    const auto lines = lines_of(outcome.out);
    const auto examples = std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with(std::string("  bifold-bench ") + command);
    });
    CHECK(examples >= 2);
    std::string text = outcome.out;
    std::replace(text.begin(), text.end(), '\n', ' ');
    CHECK(contains(text, "Exit status: 0"));
    CHECK(contains(text, "2 for a bad command line"));
  }
}

TEST_CASE("a report says what a bug report needs, in one block") {
  const Scratch scratch;
  const std::string cache = (scratch / "cache").string();
  const Outcome outcome = run_tool({"report"}, {"BIFOLD_CACHE_DIR=" + cache, "BIFOLD_DISABLE="});
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  for (const char* words : {"bifold", "build", "CUDA ", "OpenCL ", "embedded kernels", "host",
                            "cache folder", "environment", "BIFOLD_DISABLE="}) {
    CHECK_MESSAGE(contains(outcome.out, words), words);
  }
  CHECK(contains(outcome.out, cache));
  CHECK(widest(outcome.out) <= 100 + cache.size());
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    CHECK(contains(outcome.out, info.selector));
    CHECK(contains(outcome.out, info.name));
    CHECK(contains(outcome.out, info.driver));
    CHECK(contains(outcome.out, "self-check result"));
    CHECK(contains(outcome.out, "tuning file"));
  }
  check_refused({"report", "--device", "cuda:99"}, "cuda:99");
  CHECK(
      contains(text_of(BIFOLD_SOURCE_DIR "/.github/ISSUE_TEMPLATE/bug.md"), "bifold-bench report"));
  CHECK(contains(text_of(BIFOLD_SOURCE_DIR "/docs/troubleshooting.md"), "bifold-bench report"));
}

TEST_SUITE_END();
