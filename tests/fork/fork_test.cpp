// Processes that are forked: before the first use of a driver, and after. One program for itself,
// as the first case wants a process that has used none.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bifold/bifold.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::failure_of;

namespace {

const char* selector() {
  const char* text = std::getenv("BIFOLD_TEST_DEVICE");  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? text : "";
}

/// The exit status of a process that is forked for `body`, which has no time limit but the test's.
int status_of_child(const std::function<int()>& body) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int status = body();
    std::cout.flush();
    _exit(status);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int sum_of(Queue& queue, const Buffer<int>& data) { return reduce(queue, data, plus, 0); }

/// How many calls the stand-in driver, or the layer over the real one, has seen.
class DriverCalls {
 public:
  DriverCalls() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (const char* layer = std::getenv("OPENCL_LAYERS")) find(layer, "bifold_layer_calls", layer_);
    find("libcuda.so.1", "fake_cuda_calls", cuda_);
  }
  [[nodiscard]] bool stand_in() const { return cuda_ != nullptr; }
  [[nodiscard]] long count() const {
    return (layer_ != nullptr ? layer_("") : 0) +
           (cuda_ != nullptr ? static_cast<long>(cuda_("cu")) : 0);
  }

 private:
  template <class Function>
  static void find(const char* library, const char* symbol, Function*& function) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) function = reinterpret_cast<Function*>(dlsym(handle, symbol));
  }
  long (*layer_)(const char*) = nullptr;
  std::int64_t (*cuda_)(const char*) = nullptr;
};

/// Holds whoever comes by once it is shut.
class Gate {
 public:
  void shut() { shut_ = true; }
  void pass() {
    if (!shut_) return;
    held_ = true;
    while (shut_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void wait_for_somebody() const {
    while (!held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void open() { shut_ = false; }

 private:
  std::atomic<bool> shut_{false};
  std::atomic<bool> held_{false};
};

/// All kinds of handles.
struct Handles {
  explicit Handles(Device on)
      : device(std::move(on)),
        queue(device),
        data(queue.upload(std::span<const int>(std::vector<int>(1000, 3)))),
        output(queue.allocate<int>(1000)),
        scratch(queue.allocate<std::uint8_t>(100'000)),
        reduction(device, {}),
        scan(device, {}),
        workspace(scratch.view()),
        event(queue.record()) {
    queue.finish();
  }

  Device device;
  Queue queue;
  Buffer<int> data;
  Buffer<int> output;
  Buffer<std::uint8_t> scratch;
  ReducePlan reduction;
  ScanPlan scan;
  Workspace workspace;
  Event event;
};

/// Each of these needs a driver, or what another thread may hold.
std::vector<std::function<void()>> calls_on(Handles& with) {
  auto& [device, queue, data, output, scratch, reduction, scan, workspace, event] = with;
  const std::vector<int> host(1000);
  return {[] { (void)devices(); },
          [] { (void)open_device(selector()); },
          [&] { (void)Queue(device); },
          [&] { (void)Buffer<int>(device, 5); },
          [&] { queue.finish(); },
          [&] { queue.finish(std::chrono::milliseconds(1)); },
          [&] { queue.trim(); },
          [&] { (void)queue.record(); },
          [&] { queue.wait_for(std::span(&event, 1)); },
          [&] { queue.copy(data, output); },
          [&] { queue.fill(output, 1); },
          [&, host] { (void)queue.upload(std::span<const int>(host)); },
          [&, host] { queue.upload(std::span<const int>(host), output); },
          [&] { (void)queue.download(output); },
          [&] { (void)reduce(queue, data, plus); },
          [&] { (void)reduce_many(queue, data, plus, maximum); },
          [&] { (void)argmin(queue, data); },
          [&] { reduce_into(queue, data, output.view(0, 1), plus, 1); },
          [&] { inclusive_scan(queue, data, output, plus); },
          [&] { (void)ReducePlan(device, {}); },
          [&] { (void)ScanPlan(device, {}); },
          [&] { warm(device, ScanShape{}); },
          [&] { reduction.run(queue, data, output.view(0, 1), Value(0)); },
          [&] { scan.run(queue, data, output, {}, {.workspace = &workspace}); },
          [&] { workspace.prepare(queue); },
          [&] { event.wait(); },
          [&] { (void)event.complete(); },
          [&] { (void)elapsed(event, event); },
          [] { (void)Group::in_process(2).size(); },
          [&] { (void)device.cache_statistics(); }};
}

/// 0, or a number that tells what went wrong.
int use_all(std::optional<Handles>& handles, std::optional<Handles>& others,
            const DriverCalls& driver) {
  if (!handles) return 1;
  Handles& with = *handles;
  const long before = driver.count();
  int number = 10;
  for (const auto& call : calls_on(with)) {
    const test::Failure failure = failure_of(call);
    if (failure.category != ErrorCategory::device_lost || !failure.mentions("was forked from")) {
      std::cout << "call " << number << ": " << failure.what << '\n';
      return number;
    }
    ++number;
  }
  for (const BackendInfo& backend : backends()) {
    if (backend.available || backend.reason.empty()) return 3;
  }
  // What needs no driver goes on.
  set_log(LogLevel::off, {});
  const Operator op = Operator::user("in_child", "a + b", Value(0));
  const std::vector<StructField> field{{"only_in_child", Type::i32, 0}};
  if (!op.supports(Type::i32) || size_of(Type(StructType{"OfChild", 4, field})) != 4) return 4;
  if (with.device.info().selector.empty() || with.reduction.workspace_bytes(9) == 1) {
    return 5;
  }
  // Handles that go call nothing.
  const Device copy = with.device;
  Event moved = std::move(with.event);
  handles.reset();
  others.reset();
  moved = Event();
  return driver.count() == before ? 0 : 6;
}

}  // namespace

TEST_SUITE_BEGIN("fork");

TEST_CASE("a process that is forked before the first use of a driver has devices of its own") {
  const auto work = [] {
    if (const auto status = test::prepare(test::Needs::device)) return *status;
    Queue queue(test::device());
    const DriverCalls driver;
    const auto data = queue.upload(std::span<const int>(std::vector<int>(1000, 3)));
    const bool right = sum_of(queue, data) == 3000 || driver.stand_in();
    return right ? 0 : 1;
  };
  for (int process = 0; process < 2; ++process) {
    const int status = status_of_child(work);
    if (status == test::skip_status) std::_Exit(status);
    CHECK(status == 0);
  }
}

TEST_CASE("after it, every call says so at once, and handles go without the driver") {
  Gate in_allocator;
  Gate in_log;
  std::atomic<bool> logs{false};
  const ScratchAllocator allocator{[](void* gate, std::uint64_t) -> std::uintptr_t {
                                     static_cast<Gate*>(gate)->pass();
                                     throw std::runtime_error("no memory today");
                                   },
                                   [](void*, std::uintptr_t, std::uint64_t) {}, &in_allocator};
  std::optional<Handles> handles(open_device(selector()));
  std::optional<Handles> others(open_device(selector()));
  const DriverCalls driver;
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (handles->device.info().backend == "opencl" && std::getenv("OPENCL_LAYERS") != nullptr) {
    REQUIRE(driver.count() > 0);
  }
  const Queue held(open_device(selector(), {.scratch = allocator}));
  set_log(LogLevel::debug, [&](LogLevel, std::string_view) {
    if (logs) in_log.pass();
  });

  // One thread holds a queue's locks, another those of the log and the kernel cache.
  in_allocator.shut();
  std::thread allocating([queue = held, &data = handles->data]() mutable {
    const auto failure = failure_of([&] { (void)reduce(queue, data, plus); });
    CHECK(failure.category.has_value());
  });
  in_allocator.wait_for_somebody();
  in_log.shut();
  std::thread logging([&] {
    logs = true;
    const Operator last = Operator::user("last", "b", Type::i32);
    CHECK_NOTHROW((void)ReducePlan(handles->device, {.op = last}));
  });
  in_log.wait_for_somebody();

  const int status = status_of_child([&] {
    Queue queue = held;
    const auto failure = failure_of([&] { queue.finish(); });
    if (failure.category != ErrorCategory::device_lost) return 2;
    return use_all(handles, others, driver);
  });
  CHECK(status == 0);

  in_log.open();
  in_allocator.open();
  logging.join();
  allocating.join();
  set_log(LogLevel::off, {});
  if (!driver.stand_in()) CHECK(sum_of(handles->queue, handles->data) == 3000);
  CHECK(devices().size() >= 1);
}

TEST_CASE("a process that goes through main's end after it says nothing and waits for nothing") {
  std::optional<Handles> handles(open_device(selector()));
  CHECK(status_of_child([&]() -> int {
          handles.reset();
          std::exit(0);  // NOLINT(concurrency-mt-unsafe): runs what the driver has registered, too.
        }) == 0);
}

TEST_SUITE_END();

}  // namespace bifold
