// The C interface inside a CUDA application; over the stand-in, or on a GPU.
#include <bifold/bifold.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/devices/cuda_app.hpp"

namespace bifold {

using test::App;
using test::Watched;

TEST_SUITE_BEGIN("interop_cuda_c");

TEST_CASE_FIXTURE(Watched, "an application's context, stream, memory and events through C") {
  App app;
  std::vector<int> values(1000, 3);
  const CUdeviceptr memory = app.memory(values);
  CUevent ready = app.event();
  CUevent scanned = app.event();
  bifold_device* device = nullptr;
  bifold_queue* queue = nullptr;
  bifold_event* written = nullptr;
  bifold_event* done = nullptr;
  bifold_view numbers{nullptr, BIFOLD_I32, 0, values.size()};
  bifold_options options{};
  void* behind = nullptr;

  REQUIRE(bifold_cuda_adopt_device(app.context(), nullptr, &device) == BIFOLD_OK);
  REQUIRE(bifold_cuda_adopt_queue(app.stream(), device, nullptr, &queue) == BIFOLD_OK);
  REQUIRE(bifold_cuda_adopt_buffer(memory, values.size() * sizeof(int), &numbers.buffer) ==
          BIFOLD_OK);
  CHECK(bifold_buffer_size(numbers.buffer) == values.size() * sizeof(int));
  std::uint32_t index = 99;
  REQUIRE(bifold_cuda_device_index(memory, &index) == BIFOLD_OK);
  bifold_device_info info{};
  info.struct_size = sizeof info;
  REQUIRE(bifold_device_get_info(device, &info) == BIFOLD_OK);
  CHECK(index == info.index);
  bifold_view sum{nullptr, BIFOLD_I32, 1, 1};
  REQUIRE(bifold_cuda_adopt_known_buffer(app.memory(std::vector<int>{1, 2}), 2 * sizeof(int),
                                         &sum.buffer) == BIFOLD_OK);
  CHECK(bifold_buffer_size(sum.buffer) == 2 * sizeof(int));
  REQUIRE(bifold_cuda_adopt_event(ready, &written) == BIFOLD_OK);
  options.struct_size = sizeof options;
  options.wait = &written;
  options.wait_count = 1;
  options.done = &done;
  CHECK(bifold_inclusive_scan(queue, numbers, numbers, bifold_builtin_operator(BIFOLD_PLUS),
                              nullptr, &options) == BIFOLD_OK);
  CHECK(bifold_reduce_into(queue, numbers, sum, bifold_builtin_operator(BIFOLD_MAXIMUM), nullptr,
                           nullptr) == BIFOLD_OK);
  CHECK(bifold_cuda_native_event(done, &behind) == BIFOLD_OK);
  CHECK(behind != nullptr);
  CHECK(bifold_cuda_native_event(written, &behind) == BIFOLD_OK);
  CHECK(behind == ready);
  CHECK(bifold_cuda_record(queue, scanned) == BIFOLD_OK);
  CHECK(bifold_queue_finish(queue, BIFOLD_NO_LIMIT) == BIFOLD_OK);
  std::partial_sum(values.begin(), values.end(), values.begin());
  if (test::cuda().computes()) CHECK(app.read(memory, values.size()) == values);

  bifold_event_destroy(done);
  bifold_event_destroy(written);
  bifold_buffer_destroy(sum.buffer);
  bifold_buffer_destroy(numbers.buffer);
  bifold_queue_destroy(queue);
  bifold_device_destroy(device);
}

TEST_CASE_FIXTURE(Watched, "what cannot be adopted through C is refused by a code") {
  bifold_device* device = nullptr;
  bifold_queue* queue = nullptr;
  bifold_buffer* buffer = nullptr;
  bifold_event* event = nullptr;
  void* native = nullptr;
  CHECK(bifold_cuda_adopt_device(nullptr, nullptr, &device) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_device(primary(), nullptr, nullptr) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_current_device(nullptr, nullptr) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_queue(nullptr, nullptr, nullptr, &queue) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_buffer(0, 4, &buffer) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_known_buffer(0, 4, &buffer) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_adopt_known_buffer(4096, 4, nullptr) == BIFOLD_INVALID_ARGUMENT);
  std::uint32_t index = 99;
  CHECK(bifold_cuda_device_index(reinterpret_cast<std::uintptr_t>(&index), &index) ==
        BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_device_index(0, nullptr) == BIFOLD_INVALID_ARGUMENT);
  CHECK(index == 99);
  CHECK(bifold_cuda_adopt_event(nullptr, &event) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_native_event(nullptr, &native) == BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_cuda_record(nullptr, nullptr) == BIFOLD_INVALID_ARGUMENT);
  CHECK(device == nullptr);
  CHECK(queue == nullptr);
  CHECK(buffer == nullptr);
  CHECK(event == nullptr);

  // The current context's default stream: NULL on both sides.
  REQUIRE(bifold_cuda_adopt_current_device(nullptr, &device) == BIFOLD_OK);
  CHECK(bifold_cuda_adopt_queue(nullptr, device, nullptr, nullptr) == BIFOLD_INVALID_ARGUMENT);
  REQUIRE(bifold_cuda_adopt_queue(nullptr, device, nullptr, &queue) == BIFOLD_OK);
  CHECK(bifold_cuda_record(queue, nullptr) == BIFOLD_INVALID_ARGUMENT);
  bifold_queue_destroy(queue);
  bifold_device_destroy(device);
}

TEST_SUITE_END();

}  // namespace bifold
