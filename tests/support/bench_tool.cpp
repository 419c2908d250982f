#include "bench_tool.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bifold/device.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace bifold::test {

namespace fs = std::filesystem;

namespace {

/// This process's environment with `changes` ("NAME=value") instead of what they name.
std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> result = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view old(*entry);
    const std::string_view name = old.substr(0, old.find('=') + 1);
    if (std::none_of(changes.begin(), changes.end(),
                     [&](const std::string& change) { return change.starts_with(name); })) {
      result.emplace_back(old);
    }
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// Waits for the child, however long: a hang ends by ctest's limit.
int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error("waitpid failed");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// `set_output` gives the tool its standard output.
ToolOutcome run(std::vector<std::string> arguments, const std::vector<std::string>& environment,
                const std::string& tool, const Scratch& scratch,
                const std::function<void(posix_spawn_file_actions_t*)>& set_output) {
  const std::string error = (scratch / "error").string();
  arguments.insert(arguments.begin(), tool);
  std::vector<std::string> variables = environment_with(environment);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  set_output(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, tool.c_str(), &actions, nullptr,
                                  pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) throw std::runtime_error("cannot start " + tool);
  const int status = status_of(child);
  return {status, {}, text_of(error)};
}

}  // namespace

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "bifold-bench-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

ToolOutcome run_tool(std::vector<std::string> arguments,
                     const std::vector<std::string>& environment, const std::string& tool) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string();
  ToolOutcome outcome = run(std::move(arguments), environment, tool, scratch, [&](auto* actions) {
    posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  });
  outcome.out = text_of(out);
  return outcome;
}

ToolOutcome run_tool_onto(int output, std::vector<std::string> arguments) {
  const Scratch scratch;
  return run(std::move(arguments), {}, BIFOLD_BENCH_PATH, scratch, [&](auto* actions) {
    if (output < 0) {
      posix_spawn_file_actions_addclose(actions, STDOUT_FILENO);
    } else {
      posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    }
  });
}

void check_quiet(const ToolOutcome& outcome, int status) {
  CAPTURE(outcome.out);
  CAPTURE(outcome.error);
  REQUIRE(outcome.status == status);
  CHECK(outcome.error == "");
}

std::vector<std::string> without_devices(const Scratch& empty) {
  return {"OCL_ICD_VENDORS=" + (empty / "").string(),
          "CUDA_VISIBLE_DEVICES=", "OCL_ICD_FILENAMES="};
}

bool contains(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

void check_one_line(const std::string& error, const std::string& words) {
  CAPTURE(error);
  CHECK(std::count(error.begin(), error.end(), '\n') == 1);
  CHECK(error.ends_with('\n'));
  CHECK(error.starts_with("bifold-bench: "));
  CHECK_MESSAGE(contains(error, words), "expected: " << words);
}

void check_refused(const std::vector<std::string>& arguments, const std::string& words) {
  const ToolOutcome outcome = run_tool(arguments);
  const std::string last = arguments.empty() ? std::string() : arguments.back();
  CAPTURE(last);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  check_one_line(outcome.error, words);
}

bool has_cpu_device() {
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    if (info.backend == "opencl" && info.kind == bifold::DeviceKind::cpu) return true;
  }
  const char* required = std::getenv("BIFOLD_REQUIRE");  // NOLINT(concurrency-mt-unsafe)
  const bool must =
      required != nullptr && std::string_view(required).find("opencl") != std::string_view::npos;
  REQUIRE_MESSAGE(!must, "BIFOLD_REQUIRE asks for opencl, but there is no OpenCL CPU device");
  std::cout << "SKIPPED: no OpenCL CPU device for bifold-bench to run on\n";
  return false;
}

}  // namespace bifold::test
