#include "core/base/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <bifold/error.hpp>

#include "core/base/format.hpp"

namespace bifold::core {

namespace {

// Constant-initialised, so that they are there for static objects of the program's.
constinit std::atomic<pid_t> user_of_drivers{0};

void in_child() noexcept {
  if (user_of_drivers.load(std::memory_order_relaxed) != 0) {
    forked_process.store(true, std::memory_order_relaxed);
  }
}

// Made while the library is loaded: no other thread is in it then. When the library is unloaded,
// the system takes the function back.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, &in_child);

}  // namespace

constinit std::atomic<bool> forked_process{false};

void raise_forked() {
  throw Error(
      ErrorCategory::device_lost,
      formatted("process {} was forked from process {}, which had used devices: no driver works "
                "here. Start the process otherwise (exec, posix_spawn, \"spawn\" of Python's "
                "multiprocessing), or use devices after the fork only",
                getpid(), user_of_drivers.load(std::memory_order_relaxed)));
}

void enter_drivers() {
  refuse_forked();
  pid_t none = 0;
  if (user_of_drivers.load(std::memory_order_relaxed) == none) {
    user_of_drivers.compare_exchange_strong(none, getpid(), std::memory_order_relaxed);
  }
}

void refuse_moved_from(const char* handle) {
  throw Error(ErrorCategory::invalid_argument,
              formatted("the {} is empty: it was moved from", handle));
}

}  // namespace bifold::core
