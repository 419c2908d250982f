// bifold-bench as its users meet it: run as a program, judged by exit status, output and files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

/// A folder of a test's own, gone at its end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& file);

struct ToolOutcome {
  int status = -1;  ///< Exit status; -1 when killed by a signal.
  std::string out;
  std::string error;
};

/// Runs the tool, for two minutes at most, with `environment` ("NAME=value") instead of what it
/// names; or a copy of it.
ToolOutcome run_tool(std::vector<std::string> arguments,
                     const std::vector<std::string>& environment = {},
                     const std::string& tool = BIFOLD_BENCH_PATH);

/// The same with a standard output of its own: the open file `output`, or a closed one (-1). What
/// the tool writes there is not in the outcome.
ToolOutcome run_tool_onto(int output, std::vector<std::string> arguments);

/// Whether it ended with that status, and nothing on its standard error.
void check_quiet(const ToolOutcome& outcome, int status = 0);

/// An environment in which no backend has a device. The folder is empty.
std::vector<std::string> without_devices(const Scratch& empty);

/// Whether `text` has `words` in it.
bool contains(const std::string& text, std::string_view words);

/// Whether `error` is one line that starts with the program's name and mentions `words`.
void check_one_line(const std::string& error, const std::string& words);

/// Whether the tool refuses `arguments` with status 2 and such a line.
void check_refused(const std::vector<std::string>& arguments, const std::string& words);

/// Whether the device that the tests of the tool use, an OpenCL CPU, is there. Says so when it is
/// not, and fails where $BIFOLD_REQUIRE asks for its backend.
bool has_cpu_device();

}  // namespace bifold::test
