// Everything that can fail on the way through the OpenCL backend, one after the other, and what
// work that nobody could wait for may still write to. Runs under the fault layer of opencl_layer/.
// First, as it configures what the public header includes.
#include "opencl/driver/clhpp.hpp"
//
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <bifold/interop/opencl.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/device/state.hpp"
#include "opencl_layer/fixture.hpp"
#include "support/counted_allocations.hpp"
#include "support/fault_sweep.hpp"
#include "support/messages.hpp"

namespace bifold::test::opencl {
namespace {

Device open() {
  static const std::string selector = "opencl:" + std::to_string(device_index());
  return open_device(selector, {.cache = {.disk = false}});
}

std::vector<long> live(const LoadedLayer& layer) {
  std::vector<long> all;
  for (const char* kind : {"context", "queue", "buffer", "program", "kernel", "event", "svm"}) {
    all.push_back(layer.live(kind));
  }
  return all;
}

Faults every_call(const LoadedLayer& layer) {
  constexpr std::array codes{
      CL_OUT_OF_RESOURCES,      CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
      CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT,    -9999,
      CL_INVALID_OPERATION};
  return {[&layer, codes](int nth) {
            layer.fail_any(nth, codes[static_cast<std::size_t>(nth) % codes.size()]);
          },
          [&layer] {
            layer.clear();
            return std::string(layer.failed());
          },
          [&layer] { return live(layer); }};
}

Faults every_allocation(const LoadedLayer& layer) {
  return {[](int nth) { static_cast<void>(fail_allocation(nth)); },
          [] { return std::string(fail_allocation(0) ? "operator new" : ""); },
          [&layer] { return live(layer); }};
}

/// For its scope.
struct WithoutSvm {
  explicit WithoutSvm(const LoadedLayer& layer, bool hidden) : layer_(layer) {
    layer.hide_svm(hidden);
  }
  ~WithoutSvm() { layer_.hide_svm(false); }
  WithoutSvm(const WithoutSvm&) = delete;
  WithoutSvm& operator=(const WithoutSvm&) = delete;

 private:
  const LoadedLayer& layer_;
};

/// For its scope, what the driver allocates is not counted.
struct WithoutDriver {
  explicit WithoutDriver(const LoadedLayer& layer) { leave_out_allocations(layer.within()); }
  ~WithoutDriver() { leave_out_allocations(nullptr); }
  WithoutDriver(const WithoutDriver&) = delete;
  WithoutDriver& operator=(const WithoutDriver&) = delete;
};

}  // namespace

TEST_SUITE_BEGIN("opencl faults");

TEST_CASE("every driver call may fail, on a device that is kept") {
  static_cast<void>(open());
  const LoadedLayer layer;
  layer.keep_freed_svm();
  for (const bool hidden : {false, true}) {
    const WithoutSvm svm(layer, hidden);
    CHECK(sweep_kept(every_call(layer), open, 1) > 100);
  }
  CHECK(layer.svm_written_late() == 0);
}

TEST_CASE("every driver call may fail, on a device that is opened and closed again") {
  static_cast<void>(open());
  const LoadedLayer layer;
  layer.keep_freed_svm();
  for (const bool hidden : {false, true}) {
    const WithoutSvm svm(layer, hidden);
    CHECK(sweep_fresh(every_call(layer), open, fault_stride(67)) > 100);
  }
  CHECK(layer.svm_written_late() == 0);
}

TEST_CASE("every allocation of the host's may fail") {
  if (!counts_allocations()) return;
  static_cast<void>(open());
  const LoadedLayer layer;
  layer.keep_freed_svm();
  const WithoutDriver without(layer);
  CHECK(sweep_kept(every_allocation(layer), open, 1) > 10);
  CHECK(sweep_fresh(every_allocation(layer), open, fault_stride(151)) > 100);
}

TEST_CASE("the cell of a reduction is not freed before the kernel that writes to it has ended") {
  const Device device = open();
  const LoadedLayer layer;
  layer.keep_freed_svm();
  Queue feed(device);
  const auto values = feed.upload(std::span<const int>(std::vector<int>(1000, 3)));
  const long cells = layer.live("svm");
  long while_shut = 0;
  {
    Queue queue(device);
    CHECK(reduce(queue, values, plus, 0) == 3000);
    Gate gate(*device.state()->backend);
    const Event opened = interop::opencl::event(gate.native);
    queue.wait_for(std::span(&opened, 1));
    layer.fail("clFinish", CL_OUT_OF_RESOURCES);
    CHECK(failure_of([&] { (void)reduce(queue, values, plus, 0); }).category ==
          ErrorCategory::device_lost);
    std::jthread opens([&] {
      std::this_thread::sleep_for(200ms);
      while_shut = layer.live("svm");
      gate.set(CL_COMPLETE);
    });
    queue = Queue(device);  // The other one ends here, in front of the gate.
  }
  if (device.info().platform.find("Portable") != std::string::npos) CHECK(while_shut > cells);
  CHECK(layer.live("svm") == cells);
  CHECK(layer.svm_written_late() == 0);
}

TEST_CASE("what the driver tells no end of is kept, and that is logged once") {
  if (!counts_allocations()) return;  // A sanitizer would find what is kept.
  const Device device = open();
  const LoadedLayer layer;
  layer.keep_freed_svm();
  const long cells = layer.live("svm");
  const Messages messages(LogLevel::error);
  const std::vector<int> host(1000, 3);
  Queue feed(device);
  const auto values = feed.upload(std::span(host));
  {
    Queue queue(device);
    layer.fail("clFinish", CL_OUT_OF_RESOURCES, -1);
    layer.fail("clEnqueueMarkerWithWaitList", CL_OUT_OF_RESOURCES, -1);
    CHECK(failure_of([&] { (void)reduce(queue, values, plus, 0); }).category ==
          ErrorCategory::device_lost);
    CHECK(messages.count() == 0);
  }
  const bool in_place = layer.calls("clSVMAlloc") > 0;
  CHECK(layer.live("svm") == cells + (in_place ? 1 : 0));
  CHECK(messages.count("64 bytes of scratch memory are not given back") == 1);
  CHECK(messages.count() == 1);
  // So it is of a transfer's host memory, as far as it is the library's.
  layer.fail("clEnqueueReadBuffer", CL_OUT_OF_RESOURCES, -1);
  CHECK(failure_of([&] { (void)feed.download(values); }).category == ErrorCategory::device_lost);
  CHECK(failure_of([&] { (void)feed.download(values); }).category == ErrorCategory::device_lost);
  CHECK(messages.count("host memory of a download") == 1);
  CHECK(messages.count() == 2);
  layer.clear();
  CHECK(feed.download(values) == host);
}

TEST_CASE("a retain that fails is a typed error, and a release that fails is logged") {
  const Device device = open();
  const LoadedLayer layer;
  layer.keep_freed_svm();
  Queue queue(device);
  layer.fail("clRetainEvent", CL_OUT_OF_HOST_MEMORY);
  const Failure failure = failure_of([&] { (void)queue.record(); });
  CHECK(failure.category == ErrorCategory::out_of_memory);
  CHECK(failure.call == "clRetainEvent");
  layer.clear();
  const long events = layer.live("event");
  const Messages messages(LogLevel::error);
  layer.fail("clReleaseEvent", CL_OUT_OF_RESOURCES);
  static_cast<void>(queue.record());
  CHECK(messages.count("clReleaseEvent failed with CL_OUT_OF_RESOURCES") == 1);
  CHECK(layer.live("event") == events + 1);
}

TEST_SUITE_END();

}  // namespace bifold::test::opencl
