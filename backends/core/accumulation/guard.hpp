// What holds for each call of an accumulation.
#pragma once

#include <bifold/error.hpp>
#include <bifold/queue.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "core/device/ranges.hpp"

namespace bifold::core {

/// One call at a time, and none once the queue's work is lost.
class Guard {
 public:
  /// Throws what work was lost by, and unsupported while the queue's work is captured in a graph.
  [[nodiscard]] std::unique_lock<std::mutex> enter(const Queue& queue) {
    std::unique_lock turn(mutex_);
    if (lost_) throw Error(*lost_);
    refuse_graph(queue);
    return turn;
  }
  /// The same for a call that begins anew.
  [[nodiscard]] std::unique_lock<std::mutex> enter_anew(const Queue& queue) {
    std::unique_lock turn(mutex_);
    refuse_graph(queue);
    return turn;
  }
  void begin_anew() noexcept { lost_.reset(); }

  /// wait(), which blocks. What it throws, all further calls throw.
  template <class Wait>
  auto waited(const Wait& wait) {
    try {
      return wait();
    } catch (...) {
      lose();
      throw;
    }
  }
  /// The exception being handled says that work is lost, unless memory is lacking to learn it.
  void lose() {
    try {
      detail::rethrow();
    } catch (const Error& error) {
      if (error.category() == ErrorCategory::out_of_memory) return;
      lost_ = Error(error.category(), std::string("the accumulation is lost: ") + error.what());
    }
  }

 private:
  static void refuse_graph(const Queue& queue) {
    const std::lock_guard lock(queue.state().mutex);
    refuse_in_graph(queue.state(), "an accumulation");
  }

  std::mutex mutex_;
  std::optional<Error> lost_;
};

}  // namespace bifold::core
