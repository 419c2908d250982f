// Everything that can fail on the way through the CUDA backend, one after the other, and what work
// that nobody could wait for may still write to. Over the stand-in driver, with kernels that run.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fake_cuda/fixture.hpp"
#include "support/counted_allocations.hpp"
#include "support/environment.hpp"
#include "support/fault_sweep.hpp"
#include "support/messages.hpp"

namespace {

using namespace fake_cuda;
using bifold::ErrorCategory;
using bifold::test::Messages;

/// Kernels are compiled once, for all the devices that are opened.
bifold::Device open() {
  static const std::filesystem::path folder = bifold::test::fresh_folder("cuda-faults");
  bifold::DeviceOptions options;
  options.cache.directory = folder;
  return bifold::open_device("cuda:0", options);
}

std::vector<long> live() {
  std::vector<long> all;
  for (const char* what : {"contexts", "streams", "events", "allocations", "modules", "misuses"}) {
    all.push_back(static_cast<long>(count(what)));
  }
  return all;
}

/// No context of this thread's is current at the beginning; what could not be popped is now.
void leave_contexts() {
  while (current_context() != nullptr) {
    void* popped = nullptr;
    static_cast<void>(fake<int(void**)>("cuCtxPopCurrent_v2")(&popped));
  }
}

bifold::test::Faults every_call() {
  return {[](int nth) {
            constexpr int codes[] = {2, 719, 999, 400, 700, 1, 201};
            fake<void(int, int)>("fake_cuda_fail_any")(nth - 1, codes[nth % 7]);
          },
          [] {
            std::string failed = fake<const char*()>("fake_cuda_failed")();
            fake<void()>("fake_cuda_reset")();
            leave_contexts();
            return failed;
          },
          live};
}

bifold::test::Faults every_allocation() {
  return {[](int nth) { static_cast<void>(bifold::test::fail_allocation(nth)); },
          [] { return std::string(bifold::test::fail_allocation(0) ? "operator new" : ""); }, live};
}

/// Only what the library asks for counts.
struct WithoutDriver {
  WithoutDriver() { bifold::test::leave_out_allocations(fake<bool()>("fake_cuda_within")); }
  ~WithoutDriver() { bifold::test::leave_out_allocations(nullptr); }
  WithoutDriver(const WithoutDriver&) = delete;
  WithoutDriver& operator=(const WithoutDriver&) = delete;
};

TEST_SUITE("cuda faults") {
  TEST_CASE("every driver call may fail, on a device that is kept" * unless("emulated")) {
    const std::int64_t misuses = count("misuses");
    CHECK(bifold::test::sweep_kept(every_call(), open, bifold::test::fault_stride(5)) > 100);
    CHECK(count("misuses") == misuses);
    CHECK(count("late_writes") == 0);
  }

  TEST_CASE("every driver call may fail, on devices opened and closed" * unless("emulated")) {
    const int stride = bifold::test::fault_stride(41);
    const std::int64_t misuses = count("misuses");
    CHECK(bifold::test::sweep_fresh(every_call(), open, stride) > 100);
    CHECK(count("misuses") == misuses);
    CHECK(count("late_writes") == 0);
  }

  TEST_CASE("every allocation of the host's may fail" * unless("emulated")) {
    if (!bifold::test::counts_allocations()) return;
    static_cast<void>(open());
    const WithoutDriver without;
    CHECK(bifold::test::sweep_kept(every_allocation(), open, 1) > 10);
  }

  TEST_CASE("a transfer that fails leaves host memory alone then" * unless("emulated")) {
    bifold::Queue queue(open());
    const std::vector<int> host(100, 5);
    auto values = queue.upload(std::span(host));
    std::vector<int> taken(100, 1);
    {
      const Failing wait("cuStreamSynchronize", 999);
      CHECK(error_of([&] { queue.download(values, std::span(taken)); }).category() ==
            ErrorCategory::backend_failure);
    }
    std::fill(taken.begin(), taken.end(), 2);
    queue.finish();
    CHECK(taken == std::vector<int>(100, 2));
    std::vector<int> given(100, 7);
    {
      const Failing wait("cuStreamSynchronize", 999);
      CHECK(error_of([&] { queue.upload(std::span<const int>(given), values); }).category() ==
            ErrorCategory::backend_failure);
    }
    std::fill(given.begin(), given.end(), 8);
    CHECK(queue.download(values) == std::vector<int>(100, 7));
  }

  TEST_CASE("the cell of a reduction outlives the kernel that writes to it" * unless("emulated")) {
    const bifold::Device device = open();
    bifold::Queue feed(device);
    const auto values = feed.upload(std::span<const int>(std::vector<int>(1000, 3)));
    {
      bifold::Queue queue(device);
      CHECK(bifold::reduce(queue, values, bifold::plus, 0) == 3000);
      const Failing wait("cuStreamSynchronize", 999);
      CHECK(error_of([&] { (void)bifold::reduce(queue, values, bifold::plus, 0); }).category() ==
            ErrorCategory::backend_failure);
    }
    feed.finish();
    CHECK(count("late_writes") == 0);
    const Messages messages(bifold::LogLevel::error);
    const std::int64_t blocks = count("allocations");
    {
      bifold::Queue queue(device);
      const Failing wait("cuStreamSynchronize", 719);
      const Failing ask("cuStreamQuery", 719);
      CHECK(error_of([&] { (void)bifold::reduce(queue, values, bifold::plus, 0); }).category() ==
            ErrorCategory::device_lost);
      queue = feed;  // It ends here, while neither call answers.
      CHECK(messages.count("64 bytes of scratch memory are not given back") == 1);
    }
    CHECK(messages.count() == 1);
    CHECK(count("allocations") == blocks + 1);
    CHECK(bifold::reduce(feed, values, bifold::plus, 0) == 3000);
    CHECK(count("late_writes") == 0);
  }

  TEST_CASE("a failed event of the application's is no lost device" * unless("emulated")) {
    const bifold::Device device = open();
    bifold::Queue queue(device);
    auto values = queue.upload(std::span<const int>(std::vector<int>(1000, 3)));
    const bifold::Event own = queue.record();
    const bifold::Event foreign =
        bifold::interop::cuda::event(bifold::interop::cuda::native_event(own));
    const auto category = [](const std::function<void()>& call) {
      return error_of(call).category();
    };
    {
      const Failing ask("cuEventQuery", 700);
      CHECK(category([&] { (void)foreign.complete(); }) == ErrorCategory::backend_failure);
      CHECK(category([&] { foreign.wait(); }) == ErrorCategory::backend_failure);
      CHECK(category([&] { (void)own.complete(); }) == ErrorCategory::device_lost);
    }
    {
      const Failing wait("cuStreamWaitEvent", 700);
      CHECK(category([&] {
              (void)bifold::reduce(queue, values, bifold::plus, 0, {.wait = {foreign}});
            }) == ErrorCategory::backend_failure);
    }
    CHECK(bifold::reduce(queue, values, bifold::plus, 0, {.wait = {foreign}}) == 3000);
  }
}

}  // namespace
