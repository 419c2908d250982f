#include "core/device/ranges.hpp"

#include <bifold/error.hpp>
#include <string>

namespace bifold::core {

namespace {

std::uintptr_t origin_of(const Device& device, const detail::Memory& memory) {
  if (is_address(device, memory)) return detail::address_space;
  return memory.origin != 0 ? memory.origin : memory.handle;
}

bool comparable(const Device& device, const ErasedView& a, const ErasedView& b) {
  return origin_of(device, a.memory) == origin_of(device, b.memory);
}

}  // namespace

bool is_address(const Device& device, const detail::Memory& memory) {
  return memory.kind == detail::HandleKind::pointer ||
         device.state()->backend->handles_are_addresses();
}

std::uint64_t start_of(const Device& device, const ErasedView& view) {
  const detail::Memory& memory = view.memory;
  return (is_address(device, memory) ? memory.handle : memory.origin_offset) + view.byte_offset;
}

void check_view(const Device& device, const ErasedView& view, Access access, const char* role) {
  const auto refuse = [role](const std::string& why) {
    throw Error(ErrorCategory::invalid_argument, std::string(role) + ": " + why);
  };
  if (!device.supports(view.type)) {
    throw Error(ErrorCategory::unsupported, std::string(role) + ": " + device.info().selector +
                                                " has no " + std::string(name_of(view.type)));
  }
  const bool kernels_read = access == Access::read || access == Access::both;
  const bool kernels_write = access == Access::write || access == Access::both;
  if ((kernels_write || access == Access::copy_to) && !view.writable) {
    refuse("the view is read-only");
  }
  if (view.count == 0) return;
  if (kernels_write && !view.memory.writable) refuse("kernels may not write the memory");
  if (kernels_read && !view.memory.readable) refuse("kernels may not read the memory");
  const backend::Device& backend = *device.state()->backend;
  if (view.memory.context != nullptr && view.memory.context != backend.context()) {
    refuse("the memory belongs to another device or context");
  }
  const std::uint64_t each = size_of(view.type);
  const bool lies_in = view.byte_offset % each == 0 && view.byte_offset <= view.memory.bytes &&
                       view.count <= (view.memory.bytes - view.byte_offset) / each;
  // Which says what is wrong.
  if (!lies_in) detail::check_range(view.memory, view.byte_offset, view.count, each);
  if (start_of(device, view) % align_of(view.type) != 0) refuse("the view is misaligned");
}

bool overlap(const Device& device, const ErasedView& a, const ErasedView& b) {
  if (a.count == 0 || b.count == 0 || !comparable(device, a, b)) return false;
  const std::uint64_t a_start = start_of(device, a);
  const std::uint64_t b_start = start_of(device, b);
  return a_start < b_start + b.count * size_of(b.type) &&
         b_start < a_start + a.count * size_of(a.type);
}

bool same_range(const Device& device, const ErasedView& a, const ErasedView& b) {
  return comparable(device, a, b) && start_of(device, a) == start_of(device, b) &&
         size_of(a.type) == size_of(b.type);
}

Event record(detail::QueueState& queue) {
  auto state = core::make_state<detail::EventState>();
  state->device = queue.device.state()->backend;
  state->event = queue.backend->record();
  return Event(std::move(state));
}

std::vector<const backend::Event*> waitable(std::span<const Event> events) {
  std::vector<const backend::Event*> list;
  for (const Event& event : events) {
    if (event.state()) list.push_back(event.state()->event.get());
  }
  return list;
}

void refuse_in_graph(const detail::QueueState& queue, const char* what,
                     std::span<const backend::Event* const> events) {
  if (!queue.backend->records_graph(events)) return;
  throw Error(ErrorCategory::unsupported,
              std::string(what) + " is not possible while the queue's work is captured in a graph");
}

}  // namespace bifold::core
