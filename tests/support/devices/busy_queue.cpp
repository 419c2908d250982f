#include "busy_queue.hpp"

#include <doctest/doctest.h>

#include <bifold/bifold.hpp>

#include "support/cases/stress.hpp"

namespace bifold::test {

namespace {

/// Launches between two waits: the device has the next one while the host waits.
constexpr unsigned launches = 4;

}  // namespace

BusyQueue::BusyQueue()
    : thread_([this] {
        try {
          work();
        } catch (...) {
          failure_ = std::current_exception();
        }
      }) {}

BusyQueue::~BusyQueue() {
  stop_ = true;
  thread_.join();
  if (!failure_) return;
  try {
    std::rethrow_exception(failure_);
  } catch (const std::exception& error) {
    FAIL_CHECK("the queue that keeps the device busy: ", error.what());
  }
}

void BusyQueue::work() {
  Queue queue(device());
  const std::uint64_t n = std::uint64_t{1} << (on_cpu() ? 20 : 26);
  Buffer<std::int32_t> input(device(), n);
  Buffer<std::int32_t> output(device(), n);
  queue.fill(input, 1);
  while (!stop_) {
    for (unsigned i = 0; i < launches; ++i) inclusive_scan(queue, input, output, plus);
    queue.finish();
  }
}

}  // namespace bifold::test
