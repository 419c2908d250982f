// Bandwidth probes: plain kernels that read, or copy, as fast as a device can.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <memory>

namespace bifold::core {

/// The limits that results are compared with. Built once per device; the first call compiles.
class BandwidthProbe {
 public:
  explicit BandwidthProbe(const Device& device);

  /// Enqueues reading every byte of `from` (at least 64 KiB, a multiple of 64 bytes from a 64-byte
  /// boundary) and writing next to nothing.
  void read(Queue& queue, const ErasedView& from) const;
  /// Enqueues a kernel of one group that does nothing: what a launch costs, whatever it is of.
  void launch_empty(Queue& queue) const;
  /// Enqueues copying `from` to `to` with a kernel; same sizes and alignment as read().
  void copy(Queue& queue, const ErasedView& from, const ErasedView& to) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace bifold::core
