// A queue that keeps the device under test busy.
#pragma once

#include <atomic>
#include <exception>
#include <thread>

namespace bifold::test {

/// While it lives, a thread enqueues launches that fill the device, so that groups of others begin
/// a few at a time. What goes wrong in it is a failure of the test that it ends in.
class BusyQueue {
 public:
  BusyQueue();
  ~BusyQueue();
  BusyQueue(const BusyQueue&) = delete;
  BusyQueue& operator=(const BusyQueue&) = delete;

 private:
  void work();

  std::atomic<bool> stop_{false};
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace bifold::test
