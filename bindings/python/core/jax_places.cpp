#include "jax_places.hpp"

#include <map>
#include <string>
#include <utility>

namespace bifold::python {

namespace {

constexpr std::uint64_t kept_bytes = std::uint64_t{256} << 20;  // Of one array.

std::mutex host_mutex;
// Neither this nor what is known of streams is destroyed: at the end of a process drivers may be
// gone.
auto* host = new std::shared_ptr<HostDevice>;

std::mutex stream_mutex;
auto* devices = new std::map<std::uint32_t, bifold_device*>;
// XLA keeps its streams as long as its client, and destroys none that has work. So a number that is
// another stream's later on finds scratch memory that nobody uses.
auto* streams = new std::map<std::pair<std::uint32_t, void*>, bifold_queue*>;

bifold_status open_host(const char* selector) {
  bifold_device* device = nullptr;
  const bifold_status status = api().device_open(selector, nullptr, &device);
  if (status == BIFOLD_OK) *host = std::make_shared<HostDevice>(device);
  return status;
}

}  // namespace

HostDevice::~HostDevice() {
  for (const HostPlace& place : idle_) {
    api().buffer_destroy(place.input.buffer);
    api().buffer_destroy(place.output.buffer);
    api().queue_destroy(place.queue);
  }
  api().device_destroy(device_);
}

bifold_status HostDevice::take(HostPlace* place) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      *place = idle_.back();
      idle_.pop_back();
      return BIFOLD_OK;
    }
    // So that put() needs no memory.
    idle_.reserve(++places_);
  }
  return api().queue_create(device_, nullptr, &place->queue);
}

void HostDevice::put(HostPlace place) {
  for (Room* room : {&place.input, &place.output}) {
    if (room->bytes <= kept_bytes) continue;
    api().buffer_destroy(room->buffer);
    *room = {};
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(place);
}

bifold_status HostDevice::reserve(Room* room, std::uint64_t bytes) const {
  if (room->buffer && room->bytes >= bytes) return BIFOLD_OK;
  api().buffer_destroy(room->buffer);
  *room = {};
  const bifold_status status = api().buffer_create(device_, bytes, &room->buffer);
  if (status == BIFOLD_OK) room->bytes = bytes;
  return status;
}

bifold_status host_device(std::shared_ptr<HostDevice>* device) {
  const std::lock_guard lock(host_mutex);
  const bifold_status status = *host ? BIFOLD_OK : open_host("opencl:cpu");
  *device = *host;
  return status;
}

bifold_status use_cpu(const char* selector) {
  const std::lock_guard lock(host_mutex);
  return open_host(selector);
}

bifold_status queue_of(void* stream, std::uint64_t address, bifold_queue** queue) {
  std::uint32_t index = 0;
  bifold_status status = api().cuda_device_index(address, &index);
  if (status != BIFOLD_OK) return status;
  const std::lock_guard lock(stream_mutex);
  bifold_queue*& known = (*streams)[{index, stream}];
  bifold_device*& device = (*devices)[index];
  if (!device) {
    // Its primary context, which is XLA's, too.
    status = api().device_open(("cuda:" + std::to_string(index)).c_str(), nullptr, &device);
  }
  if (status == BIFOLD_OK && !known) {
    status = api().cuda_adopt_queue(stream, device, nullptr, &known);
  }
  *queue = known;
  return status;
}

}  // namespace bifold::python
