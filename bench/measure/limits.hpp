// What a device's memory can do, measured beside the results that are compared with it.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/probe/bandwidth.hpp"
#include "measure/timing.hpp"

namespace bench {

/// GB/s (1e9 bytes) at one byte count; 0 where it could not be measured.
struct Limits {
  std::uint64_t bytes = 0;  ///< Of one buffer.
  double queue_copy = 0;    ///< The driver's own copy; bytes read plus bytes written.
  double kernel_copy = 0;   ///< A plain copy kernel, counted the same way.
  double read = 0;          ///< A kernel that only reads.
  std::string problem;      ///< Why a rate is missing.

  [[nodiscard]] double copy() const { return queue_copy > kernel_copy ? queue_copy : kernel_copy; }
};

/// A call whose rate is a limit.
struct LimitCall {
  std::function<void()> call;
  double moved_bytes;  ///< Read and written by the call.
  double Limits::*rate;
};

/// The error as the library's, if the device is of no more use after it; else null.
[[nodiscard]] const bifold::Error* device_loss(const std::exception& error);

/// Measures each byte count once per device.
class LimitMeter {
 public:
  /// The smallest byte count that is measured; smaller ones are compared with it.
  static constexpr std::uint64_t smallest_bytes = std::uint64_t{64} << 10;

  LimitMeter(const bifold::Device& device, const Budget& budget);

  /// The byte count measured for buffers of `bytes` bytes: a multiple of 64, at least the smallest.
  static std::uint64_t measured_bytes(std::uint64_t bytes);

  /// Blocks. The limits for buffers of `bytes` bytes. `from` and `to` are different, hold at least
  /// measured_bytes(bytes) each, and start at their memory's start. `to` is overwritten. Errors of
  /// the device that it survives are told in Limits::problem; others are thrown.
  const Limits& at(bifold::Queue& queue, std::uint64_t bytes, bifold::View<std::uint8_t> from,
                   bifold::View<std::uint8_t> to);

  /// What `at` measures. The calls enqueue on `queue`, and refer to it, the meter and the memory.
  std::vector<LimitCall> calls(bifold::Queue& queue, std::uint64_t bytes,
                               bifold::View<std::uint8_t> from, bifold::View<std::uint8_t> to);

  /// The kernels that limits are measured with; the first call compiles them.
  [[nodiscard]] const bifold::core::BandwidthProbe& probe();

  /// Takes limits as measured.
  void restore(const std::vector<Limits>& limits) {
    for (const Limits& limit : limits) measured_.try_emplace(limit.bytes, limit);
  }

  [[nodiscard]] const std::map<std::uint64_t, Limits>& measured() const { return measured_; }

 private:
  bifold::Device device_;
  Budget budget_;
  std::optional<bifold::core::BandwidthProbe> probe_;
  std::map<std::uint64_t, Limits> measured_;
};

}  // namespace bench
