#include "core/probe/bandwidth.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <mutex>

#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

namespace {

constexpr std::uint64_t pack_bytes = 16;
constexpr std::uint64_t granule = 64;
constexpr std::uint64_t smallest = 64 << 10;

// Of a work-item that takes all of a span; one of many takes less. A pack is words, too.
Turns turns_per_pack(std::uint64_t span) { return {5 * span, 256}; }

std::uint64_t packs_of(const Device& owner, const Device& device, const ErasedView& view,
                       Access access) {
  check_view(device, view, access, "probe");
  if (device.state() != owner.state()) {
    throw Error(ErrorCategory::invalid_argument, "the probe was made for another device");
  }
  const std::uint64_t bytes = view.count * size_of(view.type);
  if (bytes < smallest || bytes % granule != 0 || view.byte_offset % granule != 0) {
    throw Error(ErrorCategory::invalid_argument,
                "a bandwidth probe wants at least 64 KiB in whole 64-byte lines");
  }
  return bytes / pack_bytes;
}

}  // namespace

struct BandwidthProbe::State {
  explicit State(const Device& target)
      : device(target), cpu(target.info().kind == DeviceKind::cpu), sink(target, 1) {
    KernelSpec spec;
    // A CPU reads fastest as one work-item per core over consecutive memory.
    spec.family = cpu ? "bandwidth_chunks" : "bandwidth";
    const std::uint32_t group =
        cpu ? 1 : std::min(256U, std::bit_floor(target.capabilities().max_group_size));
    spec.group_size = group;
    add_parts(target, spec);
    spec.entry = "read_vectors";
    read = build_kernel(target, spec);
    spec.entry = "copy_vectors";
    copy = build_kernel(target, spec);
  }

  [[nodiscard]] std::uint64_t groups(std::uint64_t packs) const {
    const std::uint64_t units = device.capabilities().compute_units;
    const std::uint64_t most = cpu ? units * 4 : units * 16;
    const std::uint64_t span = cpu ? 4096 : 1024;
    return groups_of(divide_up(packs, span), most, most_spans(device, turns_per_pack(span)));
  }

  Device device;
  bool cpu;
  Buffer<std::uint32_t> sink;
  PlannedKernel read;
  PlannedKernel copy;
};

BandwidthProbe::BandwidthProbe(const Device& device) : state_(std::make_shared<State>(device)) {}

void BandwidthProbe::read(Queue& queue, const ErasedView& from) const {
  const std::uint64_t packs = packs_of(state_->device, queue.device(), from, Access::read);
  const std::uint64_t offset = from.byte_offset / pack_bytes;
  const std::lock_guard lock(queue.state().mutex);
  launch(*queue.state().backend, state_->read, state_->groups(packs), from.memory, offset, packs,
         state_->sink.view().memory());
}

void BandwidthProbe::launch_empty(Queue& queue) const {
  const std::lock_guard lock(queue.state().mutex);
  launch(*queue.state().backend, state_->read, 1, state_->sink.view().memory(), std::uint64_t{0},
         std::uint64_t{0}, state_->sink.view().memory());
}

void BandwidthProbe::copy(Queue& queue, const ErasedView& from, const ErasedView& to) const {
  const std::uint64_t packs = packs_of(state_->device, queue.device(), from, Access::read);
  if (packs_of(state_->device, queue.device(), to, Access::write) != packs) {
    throw Error(ErrorCategory::invalid_argument, "a copy wants the same size on both sides");
  }
  const std::lock_guard lock(queue.state().mutex);
  launch(*queue.state().backend, state_->copy, state_->groups(packs), from.memory,
         from.byte_offset / pack_bytes, packs, to.memory, to.byte_offset / pack_bytes);
}

}  // namespace bifold::core
