// How the OpenCL backend finds and describes devices: several, none, platforms that fail.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "opencl_layer/fixture.hpp"

namespace bifold::test::opencl {

TEST_SUITE_BEGIN("opencl driver");

TEST_CASE("what a device says about its atomics compiles with its options") {
  const Bench bench;
  const Capabilities& can = bench.device->capabilities();
  CAPTURE(can.atomics);
  CHECK(can.max_group_size > 0);
  CHECK(bench.device->options_to_hold(3, 128).empty());  // An option of NVIDIA's compiler alone.
  CHECK(can.max_allocation_bytes <= can.global_bytes);
  const auto build = [&](const char* text) {
    (void)bench.device->build({"probe", text, bench.device->compile_options()});
  };
  if (can.atomics == "c11") {
    CHECK(can.acquire_release);
    CHECK(can.atomic_scope == AtomicScope::device);
    CHECK_NOTHROW(build(R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void f(__global atomic_ulong* word, __global ulong* out) {
  atomic_store_explicit(word, 1UL, memory_order_relaxed, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  *out = atomic_load_explicit(word, memory_order_acquire, memory_scope_device);
})"));
  } else if (can.atomics == "legacy") {
    CHECK_NOTHROW(build(R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void f(__global ulong* word, __global ulong* out) { *out = atom_or(word, 0UL); })"));
  } else {
    CHECK((can.atomics == "ptx" || can.atomics == "none"));
    CHECK(can.atomics64 == (can.atomics == "ptx"));
  }
  refused(failure_of([&] { (void)bench.device->kernel_file("absent"); }),
          ErrorCategory::invalid_argument, "no kernel part \"absent\" in OpenCL C");
}

TEST_CASE("a device's name is text on one line, whatever the driver says") {
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread is there.
  REQUIRE(setenv("BIFOLD_LAYER_DEVICE_NAME", "| two\r\nlines \x1b[31m, \xe4\n", 1) == 0);
  const std::vector<DeviceInfo> devices = backend::opencl_backend().devices();
  REQUIRE(unsetenv("BIFOLD_LAYER_DEVICE_NAME") == 0);
  // NOLINTEND(concurrency-mt-unsafe)
  REQUIRE_FALSE(devices.empty());
  for (const DeviceInfo& device : devices) CHECK(device.name == "| two lines [31m, ?");
}

TEST_CASE("devices have distinct selectors and open by their index") {
  const backend::Backend& opencl = backend::opencl_backend();
  const std::vector<DeviceInfo> devices = opencl.devices();
  REQUIRE_FALSE(devices.empty());
  // Two devices of one platform stand in for two cards.
  const char* const wanted = std::getenv("POCL_DEVICES");  // NOLINT(concurrency-mt-unsafe)
  if (wanted != nullptr && std::string_view(wanted) == "pthread basic") {
    CHECK(devices.size() >= 2);
  } else {
    MESSAGE("one device only; POCL_DEVICES=\"pthread basic\" makes two");
  }
  std::set<std::string> selectors;
  std::set<const void*> contexts;
  std::vector<std::shared_ptr<backend::Device>> open;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    CHECK(devices[i].index == i);
    CHECK(devices[i].selector == "opencl:" + std::to_string(i));
    CHECK_FALSE(devices[i].name.empty());
    CHECK_FALSE(devices[i].platform.empty());
    selectors.insert(devices[i].selector);
    open.push_back(opencl.open(static_cast<std::uint32_t>(i)));
    contexts.insert(open.back()->context());
    CHECK(open.back()->binary_key().find(devices[i].name) != std::string::npos);
  }
  CHECK(selectors.size() == devices.size());
  CHECK(contexts.size() == devices.size());
  refused(failure_of([&] { (void)opencl.open(1000); }), ErrorCategory::unavailable,
          "no device 1000");
}

TEST_CASE("devices are found from several threads at once") {
  std::array<std::size_t, 8> found{};
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (std::size_t& number : found) {
    threads.emplace_back([&number] { number = backend::opencl_backend().devices().size(); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count(found.begin(), found.end(), backend::opencl_backend().devices().size()) == 8);
}

TEST_CASE("a loader without platforms, and a platform that fails, are a reason and no exception") {
  const backend::Backend& opencl = backend::opencl_backend();
  const BackendInfo present = opencl.probe();
  CHECK(present.available);
  CHECK(present.reason.empty());
  CHECK_FALSE(present.version.empty());
  const LoadedLayer layer;
  layer.fail("clGetPlatformIDs", -1001);
  BackendInfo absent = opencl.probe();
  CHECK_FALSE(absent.available);
  CHECK(absent.reason.find("no OpenCL platform is installed") != std::string::npos);

  layer.fail("clGetPlatformIDs", CL_OUT_OF_HOST_MEMORY);
  absent = opencl.probe();
  CHECK_FALSE(absent.available);
  CHECK(absent.reason.find("CL_OUT_OF_HOST_MEMORY") != std::string::npos);

  const std::size_t all = opencl.devices().size();
  for (const int code : {CL_DEVICE_NOT_FOUND, CL_INVALID_PLATFORM}) {
    layer.fail("clGetDeviceIDs", code);
    CHECK(opencl.devices().size() < all);
  }
  layer.fail("clCreateContext", CL_DEVICE_NOT_AVAILABLE);
  check_failure(failure_of([&] { (void)opencl.open(0); }), ErrorCategory::unavailable,
                "clCreateContext", CL_DEVICE_NOT_AVAILABLE);
}

TEST_SUITE_END();

}  // namespace bifold::test::opencl
