#include "limits.hpp"

#include <algorithm>
#include <functional>

#include "format.hpp"

namespace bench {

// NOLINTNEXTLINE(modernize-pass-by-value)
LimitMeter::LimitMeter(const bifold::Device& device, const Budget& budget)
    : device_(device), budget_(budget) {}

std::uint64_t LimitMeter::measured_bytes(std::uint64_t bytes) {
  return std::max(smallest_bytes, (bytes + 63) / 64 * 64);
}

const bifold::core::BandwidthProbe& LimitMeter::probe() {
  if (!probe_) probe_.emplace(device_);
  return *probe_;
}

const Limits& LimitMeter::at(bifold::Queue& queue, std::uint64_t bytes,
                             bifold::View<std::uint8_t> from, bifold::View<std::uint8_t> to) {
  const std::uint64_t size = measured_bytes(bytes);
  const auto [entry, is_new] = measured_.try_emplace(size);
  Limits& limits = entry->second;
  if (!is_new) return limits;
  limits.bytes = size;

  const bifold::View<const std::uint8_t> source = from.subview(0, size);
  const bifold::View<std::uint8_t> target = to.subview(0, size);
  const auto rate = [&](double moved, double& result, const std::function<void()>& call) {
    try {
      call();
      result = moved / measure(queue, budget_, call).median_s / 1e9;
    } catch (const bifold::Error& error) {
      // A device that hangs or is gone ends the run on it; a missing limit does not.
      if (error.category() == bifold::ErrorCategory::device_lost ||
          error.category() == bifold::ErrorCategory::timeout) {
        throw;
      }
      limits.problem = one_line(error.what());
    }
  };
  const auto moved = static_cast<double>(size);
  rate(2 * moved, limits.queue_copy, [&] { queue.copy(source, target); });
  rate(2 * moved, limits.kernel_copy, [&] { probe().copy(queue, source, target); });
  rate(moved, limits.read, [&] { probe().read(queue, source); });
  return limits;
}

}  // namespace bench
