// What the tests of the OpenCL backend work with: a device under the fault layer, gates that hold
// work back, strangers that must be refused.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "interface.hpp"
#include "opencl/device/backend.hpp"
#include "opencl/driver/clhpp.hpp"
#include "opencl/queue/event.hpp"
#include "opencl_layer/loaded_layer.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

namespace bifold::test::opencl {

using namespace std::chrono_literals;
using backend::Argument;
using backend::ArgumentKind;
using backend::Memory;

inline constexpr std::uint32_t count = 256;
inline constexpr std::uint64_t bytes = count * sizeof(std::uint32_t);
inline constexpr std::uint32_t group_size = 16;

inline constexpr const char* add_text = R"(
__kernel void add(__global uint* data, uint amount, ulong bias) {
  data[get_global_id(0)] += amount + (uint)bias;
}
)";

/// The first device that completes user events: PoCL's single-threaded "basic" device deadlocks in
/// clSetUserEventStatus when commands wait for the event.
inline std::uint32_t device_index() {
  const std::vector<DeviceInfo> devices = backend::opencl_backend().devices();
  const auto found = std::find_if(devices.begin(), devices.end(), [](const auto& device) {
    return !device.name.starts_with("basic");
  });
  if (found == devices.end()) throw std::runtime_error("no OpenCL device to test with");
  return found->index;
}

/// That device with the layer over it, and what most tests need on it.
struct Bench {
  std::shared_ptr<backend::Device> device = backend::opencl_backend().open(device_index());
  LoadedLayer layer;
  std::shared_ptr<const backend::Program> program =
      device->build({"add", add_text, device->compile_options()});
  std::shared_ptr<const backend::Kernel> add = program->kernel("add");
  std::unique_ptr<backend::Queue> queue = device->create_queue(Timing::disabled);
  Memory memory = device->allocate(bytes);

  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    layer.clear();
    device->free(memory);
  }

  void launch(backend::Queue& on, const Memory& data, std::uint32_t amount,
              std::uint64_t bias) const {
    const std::array arguments{
        Argument{&data.handle, sizeof data.handle, ArgumentKind::memory, data.identity},
        Argument{&amount, sizeof amount}, Argument{&bias, sizeof bias}};
    on.launch(*add, count / group_size, group_size, arguments);
  }

  void fill(std::uint32_t value) const {
    queue->fill(memory, 0, bytes, std::as_bytes(std::span(&value, 1)));
  }

  [[nodiscard]] std::vector<std::uint32_t> content() const {
    std::vector<std::uint32_t> host(count);
    queue->download(host.data(), memory, 0, bytes);
    return host;
  }

  /// Whether every kind of command still does its work.
  [[nodiscard]] bool usable() const {
    std::vector<std::uint32_t> host(count);
    std::iota(host.begin(), host.end(), 7U);
    const Memory other = device->allocate(bytes);
    queue->upload(other, 0, host.data(), bytes);
    fill(5);
    queue->copy(memory, bytes / 2, other, bytes / 2, bytes / 2);
    launch(*queue, memory, 3, 10);
    queue->record()->wait(patience);
    queue->finish(patience);
    const std::vector<std::uint32_t> result = content();
    device->free(other);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (result[i] != (i < count / 2 ? 5U : 7U + i) + 13U) return false;
    }
    return true;
  }
};

/// A user event of a device's context in the clothes of one of its events.
struct Gate {
  explicit Gate(const backend::Device& device)
      : context(static_cast<cl_context>(const_cast<void*>(device.context()))) {
    cl_int code = CL_SUCCESS;
    native = clCreateUserEvent(context, &code);
    REQUIRE(code == CL_SUCCESS);
    REQUIRE(clRetainEvent(native) == CL_SUCCESS);
    event = std::make_unique<backend::opencl::Event>(cl::Event(native), context, 0, false);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    set(CL_COMPLETE);  // A gate that stays shut would keep its queue from ever ending.
    clReleaseEvent(native);
  }

  void set(cl_int status) {
    if (!is_set) CHECK(clSetUserEventStatus(native, status) == CL_SUCCESS);
    is_set = true;
  }
  void close(backend::Queue& queue) const {
    const backend::Event* const list[] = {event.get()};
    queue.wait(list);
  }

  cl_context context;
  cl_event native = nullptr;
  std::unique_ptr<backend::opencl::Event> event;
  bool is_set = false;
};

struct ForeignEvent final : backend::Event {
  void wait(TimeLimit /*limit*/) const override {}
  [[nodiscard]] bool complete() const override { return true; }
  [[nodiscard]] double seconds_since(const backend::Event& /*earlier*/) const override { return 0; }
};

struct ForeignKernel final : backend::Kernel {
  [[nodiscard]] std::uint32_t max_group_size() const override { return 1; }
};

inline void check_failure(const Failure& failure, ErrorCategory category, const char* call,
                          int code) {
  INFO(failure.what);
  CHECK(failure.category == category);
  CHECK(failure.backend == "opencl");
  CHECK(failure.call == call);
  CHECK(failure.native_code == code);
  CHECK(failure.mentions(call));
}

inline void refused(const Failure& failure, ErrorCategory category, const char* words) {
  INFO(failure.what);
  CHECK(failure.category == category);
  CHECK(failure.mentions(words));
}

}  // namespace bifold::test::opencl
