// Tuning files: whatever the text, there are values that may be tuned to, or a reason on a line.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/gallery/tuning_file.hpp"
#include "core/text/checked_text.hpp"

namespace {

using namespace bifold::core;

constexpr std::string_view architecture = "sm_90";

bifold::DeviceInfo device() {
  bifold::DeviceInfo info{};
  info.backend = "opencl";
  info.name = "Made Up 9000";
  return info;
}

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void check(std::string_view text) {
  static const bifold::DeviceInfo info = device();
  const TuningReading reading = read_tuning(text, info, architecture);
  if (!reading.problem.empty()) {
    require(reading.problem.starts_with("line "));
    require(reading.tunings.rows().empty());
    return;
  }
  for (const TunedRow& tuned : reading.tunings.rows()) {
    const auto space = tuning_space(*tuned.row);
    for (const Parameter& parameter : parameters()) {
      const Tuning::Value& value = tuned.values.*parameter.member;
      require(!value || std::any_of(space.begin(), space.end(), [&](const auto& known) {
        return known.member == parameter.member && known.allows(*value);
      }));
    }
  }
  const std::string again = tuning_text(info, architecture, reading.tunings);
  const TuningReading second = read_tuning(again, info, architecture);
  require(second.problem.empty());
  require(tuning_text(info, architecture, second.tunings) == again);
}

std::string with_header(std::string_view body) {
  return checked_header("bifold-tuning 1", body).append(body);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string key = [] {
    const std::string empty = tuning_text(device(), architecture, {});
    return empty.substr(empty.find('\n') + 1);
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(with_header(text));
  check(with_header(key + std::string(text)));
  return 0;
}
