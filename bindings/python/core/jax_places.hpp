#pragma once
// Where the calls of JAX's programs run. Nothing here needs the interpreter: XLA calls from threads
// of its own, several at a time.

#include <memory>
#include <mutex>
#include <vector>

#include "api.hpp"

namespace bifold::python {

/// A device for arrays of the host, with the queues that no call uses just now.
class HostDevice {
 public:
  /// Takes the device over.
  explicit HostDevice(bifold_device* device) : device_(device) {}
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice();

  const bifold_device* handle() const { return device_; }

  /// A queue that nobody else uses until it is put back.
  bifold_status take(bifold_queue** queue);
  void put(bifold_queue* queue);

 private:
  bifold_device* device_;
  std::mutex mutex_;
  std::vector<bifold_queue*> idle_;
  std::size_t queues_ = 0;
};

/// The device for arrays of the host: "opencl:cpu" unless another one was named.
bifold_status host_device(std::shared_ptr<HostDevice>* device);

/// Opens the device that arrays of the host are worked on from now on.
bifold_status use_cpu(const char* selector);

/// The queue that stands for a stream of XLA's, on the device that has the memory at an address.
bifold_status queue_of(void* stream, std::uint64_t address, bifold_queue** queue);

}  // namespace bifold::python
