// What stands behind the public handles.
#pragma once

#include <atomic>
#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/event.hpp>
#include <bifold/queue.hpp>
#include <bifold/workspace.hpp>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/process.hpp"
#include "core/device/arena.hpp"
#include "core/kernel/kernel_cache.hpp"
#include "interface.hpp"

namespace bifold::core {
class PlanTable;
class Tunings;
class TypeTrials;
class SelfCheckResult;
}  // namespace bifold::core

namespace bifold::detail {

// Those that call drivers when they end are made by core::make_state().

// core::open_state() makes it whole.
struct DeviceState {
  DeviceState(DeviceInfo device_info, std::shared_ptr<backend::Device> device,
              const DeviceOptions& options)
      : info(std::move(device_info)),
        backend(std::move(device)),
        scratch(options.scratch),
        kernels(*backend, options.cache) {}

  DeviceInfo info;
  std::shared_ptr<backend::Device> backend;
  ScratchAllocator scratch;  // Of the queues made on this device.
  core::KernelCache kernels;
  // What planning knows of the device; what these are stands where it plans.
  std::shared_ptr<core::PlanTable> plans;
  std::shared_ptr<core::SelfCheckResult> self_check;  // Read when it was opened.
  std::shared_ptr<core::Tunings> tunings;  // Instead of built-in values, read at the same time.
  std::shared_ptr<core::TypeTrials> trials;
};

struct AllocationState {
  AllocationState(std::shared_ptr<backend::Device> owner, std::uint64_t bytes)
      : device(std::move(owner)), memory(device->allocate(bytes)) {}
  ~AllocationState() { device->free(memory); }
  AllocationState(const AllocationState&) = delete;
  AllocationState& operator=(const AllocationState&) = delete;

  std::shared_ptr<backend::Device> device;
  Memory memory;
};

struct EventState {
  // The event of a queue is released before the device it lives on.
  std::shared_ptr<backend::Device> device;
  std::unique_ptr<backend::Event> event;
};

struct QueueState {
  QueueState(Device owner, std::unique_ptr<backend::Queue> queue)
      : device(std::move(owner)),
        backend(std::move(queue)),
        arena(device.state()->backend, *backend, device.state()->scratch),
        group_arena(device.state()->backend, *backend, device.state()->scratch) {}

  Device device;
  std::unique_ptr<backend::Queue> backend;
  std::mutex mutex;            // Held while one call enqueues its commands.
  std::mutex blocking_reduce;  // Held while a result is in the arena's slot; taken before mutex.
  std::mutex group_call;       // Held while a call over a group uses group_arena; only tried.
  core::Arena arena;           // Ends before the queue, which tells when its memory is free.
  core::Arena group_arena;     // What such a call leaves for its own later steps.
};

/// Copies of a workspace share it, as they share the memory's content.
struct WorkspaceState {
  View<std::uint8_t> memory;
  std::atomic<bool> prepared{false};
};

}  // namespace bifold::detail
