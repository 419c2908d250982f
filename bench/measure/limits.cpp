#include "measure/limits.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace bench {

const bifold::Error* device_loss(const std::exception& error) {
  const auto* ours = dynamic_cast<const bifold::Error*>(&error);
  const bool lost = ours != nullptr && (ours->category() == bifold::ErrorCategory::device_lost ||
                                        ours->category() == bifold::ErrorCategory::timeout);
  return lost ? ours : nullptr;
}

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

std::vector<LimitCall> LimitMeter::calls(bifold::Queue& queue, std::uint64_t bytes,
                                         bifold::View<std::uint8_t> from,
                                         bifold::View<std::uint8_t> to) {
  const std::uint64_t size = measured_bytes(bytes);
  const bifold::View<const std::uint8_t> source = from.subview(0, size);
  const bifold::View<std::uint8_t> target = to.subview(0, size);
  const auto moved = static_cast<double>(size);
  return {
      {[&queue, source, target] { queue.copy(source, target); }, 2 * moved, &Limits::queue_copy},
      {[this, &queue, source, target] { probe().copy(queue, source, target); }, 2 * moved,
       &Limits::kernel_copy},
      {[this, &queue, source] { probe().read(queue, source); }, moved, &Limits::read}};
}

const Limits& LimitMeter::at(bifold::Queue& queue, std::uint64_t bytes,
                             bifold::View<std::uint8_t> from, bifold::View<std::uint8_t> to) {
  const std::uint64_t size = measured_bytes(bytes);
  const auto [entry, is_new] = measured_.try_emplace(size);
  Limits& limits = entry->second;
  if (!is_new) return limits;
  limits.bytes = size;

  for (const LimitCall& limit : calls(queue, bytes, from, to)) {
    try {
      limit.call();
      limits.*limit.rate = limit.moved_bytes / measure(queue, budget_, limit.call).median_s / 1e9;
    } catch (const bifold::Error& error) {
      // A device that hangs or is gone ends the run on it; a missing limit does not.
      if (device_loss(error) != nullptr) throw;
      limits.problem = one_line(error.what());
    }
  }
  return limits;
}

}  // namespace bench
