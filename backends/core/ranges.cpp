#include "core/ranges.hpp"

#include <bifold/error.hpp>
#include <string>
#include <vector>

namespace bifold::core {

namespace {

// Where a view starts: an address, or an offset within an object that has no address.
std::uint64_t start_of(const backend::Device& device, const ErasedView& view) {
  return device.handles_are_addresses() ? view.memory.handle + view.byte_offset : view.byte_offset;
}

bool comparable(const backend::Device& device, const ErasedView& a, const ErasedView& b) {
  return device.handles_are_addresses() || a.memory.handle == b.memory.handle;
}

}  // namespace

void check_view(const Device& device, const ErasedView& view, Access access, const char* role) {
  const auto refuse = [role](const std::string& why) {
    throw Error(ErrorCategory::invalid_argument, std::string(role) + ": " + why);
  };
  if (!device.supports(view.type)) {
    throw Error(ErrorCategory::unsupported, std::string(role) + ": " + device.info().selector +
                                                " has no " + std::string(name_of(view.type)));
  }
  if (access == Access::write && !view.writable) refuse("the view is read-only");
  if (view.count == 0) return;
  const backend::Device& backend = *device.state()->backend;
  if (view.memory.context != nullptr && view.memory.context != backend.context()) {
    refuse("the memory belongs to another device or context");
  }
  detail::check_range(view.memory, view.byte_offset, view.count, size_of(view.type));
  if (start_of(backend, view) % align_of(view.type) != 0) refuse("the view is misaligned");
}

bool overlap(const Device& device, const ErasedView& a, const ErasedView& b) {
  const backend::Device& backend = *device.state()->backend;
  if (a.count == 0 || b.count == 0 || !comparable(backend, a, b)) return false;
  const std::uint64_t a_start = start_of(backend, a);
  const std::uint64_t b_start = start_of(backend, b);
  return a_start < b_start + b.count * size_of(b.type) &&
         b_start < a_start + a.count * size_of(a.type);
}

bool same_range(const Device& device, const ErasedView& a, const ErasedView& b) {
  const backend::Device& backend = *device.state()->backend;
  return comparable(backend, a, b) && start_of(backend, a) == start_of(backend, b) &&
         size_of(a.type) == size_of(b.type);
}

Event record(detail::QueueState& queue) {
  auto state = std::make_shared<detail::EventState>();
  state->device = queue.device.state()->backend;
  state->event = queue.backend->record();
  return Event(std::move(state));
}

void wait_for(detail::QueueState& queue, std::span<const Event> events) {
  std::vector<const backend::Event*> list;
  for (const Event& event : events) {
    if (event.state()) list.push_back(event.state()->event.get());
  }
  if (!list.empty()) queue.backend->wait(list);
}

}  // namespace bifold::core
