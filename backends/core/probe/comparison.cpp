#include "core/probe/comparison.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <numeric>

#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

namespace {

// Bits are compared, so that a NaN equals itself and zeros differ.
Type bits_type(Type type) {
  if (type.is_struct()) {
    throw Error(ErrorCategory::invalid_argument, "structs have bytes that are not compared");
  }
  switch (size_of(type)) {
    case 1: return Type::u8;
    case 2: return Type::u16;
    case 4: return Type::u32;
    default: return Type::u64;
  }
}

PlannedKernel build(const Device& device, Type type) {
  KernelSpec spec;
  spec.family = "compare";
  spec.entry = "count_differences";
  spec.input = bits_type(type);
  spec.accumulator = spec.output = Type::u64;
  spec.op = plus;
  // A CPU walks consecutive memory in each work-item, a GPU in each group.
  const bool cpu = device.info().kind == DeviceKind::cpu;
  const std::uint32_t group = std::min(256U, std::bit_floor(device.capabilities().max_group_size));
  spec.group_size = cpu ? 1 : group;
  add_parts(device, spec);
  return build_kernel(device, spec);
}

std::uint64_t groups_for(const Device& device) {
  return std::uint64_t{device.capabilities().compute_units} * 16;
}

}  // namespace

struct Comparison::State {
  State(const Queue& on, Type of)
      : queue(on),
        width(size_of(of)),
        most(at_most(most_spans(on.device(), {1, 256}), groups_for(on.device()))),
        kernel(build(on.device(), of)),
        counts(on.device(), groups_for(on.device())) {
    queue.fill(counts, 0);
  }

  Queue queue;
  std::size_t width;
  std::uint64_t most;  // Elements of a launch: each of its groups may be one work-item.
  PlannedKernel kernel;
  Buffer<std::uint64_t> counts;  // One per group.
};

Comparison::Comparison(const Queue& queue, Type type)
    : state_(std::make_shared<State>(queue, type)) {}

void Comparison::warm(const Device& device, Type type) { static_cast<void>(build(device, type)); }

void Comparison::add(const ErasedView& left, const ErasedView& right) {
  for (const ErasedView& view : {left, right}) {
    check_view(state_->queue.device(), view, Access::read, "compared range");
    if (size_of(view.type) != state_->width || view.count != left.count) {
      throw Error(ErrorCategory::invalid_argument,
                  "a comparison wants ranges of one length, and elements of the width it is for");
    }
  }
  const std::lock_guard lock(state_->queue.state().mutex);
  for (std::uint64_t done = 0; done < left.count;) {
    const std::uint64_t count = std::min(left.count - done, state_->most);
    launch(*state_->queue.state().backend, state_->kernel, state_->counts.size(), left.memory,
           left.byte_offset / state_->width + done, right.memory,
           right.byte_offset / state_->width + done, count, state_->counts.view().memory());
    done += count;
  }
}

std::uint64_t Comparison::take() {
  const auto counts = state_->queue.download(state_->counts);
  state_->queue.fill(state_->counts, 0);
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace bifold::core
