// How long stress lasts, and on how much.
#pragma once

#include <bifold/device.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "support/environment.hpp"

namespace bifold::test {

/// The number in an environment variable.
inline std::optional<std::uint64_t> asked(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (text == nullptr || *text == '\0') return {};
  return std::stoull(text);
}

inline bool on_cpu() { return device().info().kind == DeviceKind::cpu; }

/// $BIFOLD_TEST_STRESS_RUNS, or what suits the device.
inline std::uint64_t stress_runs(std::uint64_t on_gpu, std::uint64_t on_this_cpu) {
  return asked("BIFOLD_TEST_STRESS_RUNS").value_or(on_cpu() ? on_this_cpu : on_gpu);
}

/// $BIFOLD_TEST_STRESS_SIZE, or the usual one.
inline std::uint64_t stress_size(std::uint64_t usual) {
  return asked("BIFOLD_TEST_STRESS_SIZE").value_or(usual);
}

}  // namespace bifold::test
