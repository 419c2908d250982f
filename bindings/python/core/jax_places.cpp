#include "jax_places.hpp"

#include <map>
#include <string>
#include <utility>

namespace bifold::python {

namespace {

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
  for (bifold_queue* queue : idle_) api().queue_destroy(queue);
  api().device_destroy(device_);
}

bifold_status HostDevice::take(bifold_queue** queue) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      *queue = idle_.back();
      idle_.pop_back();
      return BIFOLD_OK;
    }
    // So that put() needs no memory.
    idle_.reserve(++queues_);
  }
  return api().queue_create(device_, nullptr, queue);
}

void HostDevice::put(bifold_queue* queue) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(queue);
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
