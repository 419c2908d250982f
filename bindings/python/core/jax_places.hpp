#pragma once
// Where the calls of JAX's programs run. Nothing here needs the interpreter: XLA calls from threads
// of its own, several at a time.

#include <memory>
#include <mutex>
#include <vector>

#include "api.hpp"

namespace bifold::python {

/// Memory for the elements of an array of the host.
struct Room {
  bifold_buffer* buffer = nullptr;
  std::uint64_t bytes = 0;
};

/// What a call on arrays of the host takes.
struct HostPlace {
  bifold_queue* queue = nullptr;
  Room input, output;
};

/// A device for arrays of the host, with the places that no call uses just now. They keep their
/// memory: to have it anew each time takes ten times as long as to copy elements there.
class HostDevice {
 public:
  /// Takes the device over.
  explicit HostDevice(bifold_device* device) : device_(device) {}
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice();

  /// A place that nobody else uses until it is put back.
  bifold_status take(HostPlace* place);
  void put(HostPlace place);

  /// Has memory for at least so many bytes.
  bifold_status reserve(Room* room, std::uint64_t bytes) const;

 private:
  bifold_device* device_;
  std::mutex mutex_;
  std::vector<HostPlace> idle_;
  std::size_t places_ = 0;
};

/// The device for arrays of the host: "opencl:cpu" unless another one was named.
bifold_status host_device(std::shared_ptr<HostDevice>* device);

/// Opens the device that arrays of the host are worked on from now on.
bifold_status use_cpu(const char* selector);

/// The queue that stands for a stream of XLA's, on the device that has the memory at an address.
bifold_status queue_of(void* stream, std::uint64_t address, bifold_queue** queue);

}  // namespace bifold::python
