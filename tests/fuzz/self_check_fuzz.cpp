// Self-check files: whatever the text, there are findings on rows that there are, or a reason.
#include <cstdint>
#include <string>
#include <string_view>

#include "core/gallery/self_check.hpp"
#include "core/text/checked_text.hpp"

namespace {

using namespace bifold::core;

const std::string key = "library 1\nbackend opencl\ndevice Made Up 9000\ndriver 2\nkernels x\n";

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void check(std::string_view text) {
  const SelfCheckReading reading = read_self_check(text, key);
  if (!reading.problem.empty()) {
    require(reading.self_check.findings().empty());
    return;
  }
  for (const Finding& finding : reading.self_check.findings()) {
    require(finding.row != nullptr);
    require(finding.problem.find('\n') == std::string::npos);
  }
  const std::string again = self_check_text(key, reading.self_check);
  const SelfCheckReading second = read_self_check(again, key);
  require(second.problem.empty());
  require(second.self_check.findings().size() == reading.self_check.findings().size());
  require(self_check_text(key, second.self_check) == again);
}

std::string with_header(std::string_view body) {
  return checked_header("bifold-check 1", body).append(body);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(with_header(text));
  check(with_header(key + std::string(text)));
  return 0;
}
