// What holds for each call of an accumulation.
#pragma once

#include <bifold/error.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <exception>
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
    refuse_loss(queue);
    return turn;
  }
  /// The same for a call that begins anew. What the accumulation was lost by is told no more.
  [[nodiscard]] std::unique_lock<std::mutex> enter_anew(Queue queue) {
    std::unique_lock turn(mutex_);
    refuse_graph(queue);
    try {
      if (lost_) queue.finish();
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::backend_failure) throw;
    }
    losses_anew_ = losses_told(queue);
    return turn;
  }
  void begin_anew() noexcept {
    lost_.reset();
    losses_ = losses_anew_;
  }

  /// wait(), which blocks for the queue's work. What it throws, all further calls throw.
  template <class Wait>
  auto waited(const Queue& queue, const Wait& wait) {
    auto result = [&] {
      try {
        return wait();
      } catch (...) {
        lose(std::current_exception());
        throw;
      }
    }();
    refuse_loss(queue);
    return result;
  }
  /// The failure says that work is lost, unless the host lacks memory to learn it.
  void lose(const std::exception_ptr& failure) {
    try {
      try {
        std::rethrow_exception(failure);
      } catch (...) {
        detail::rethrow();
      }
    } catch (const Error& error) {
      const bool of_host = error.backend().empty() && error.call().empty();
      if (error.category() == ErrorCategory::out_of_memory && of_host) return;
      lost_ = Error(error.category(), std::string(prefix) + error.what());
    }
  }

 private:
  static constexpr const char* prefix = "the accumulation is lost: ";

  static void refuse_graph(const Queue& queue) {
    const std::lock_guard lock(queue.state().mutex);
    refuse_in_graph(queue.state(), "an accumulation");
  }
  static std::uint64_t losses_told(const Queue& queue) {
    const std::lock_guard lock(queue.state().mutex);
    return queue.state().backend->losses_told();
  }
  // The queue tells once, and maybe somebody else.
  void refuse_loss(const Queue& queue) const {
    if (losses_told(queue) == losses_) return;
    throw Error(ErrorCategory::backend_failure,
                std::string(prefix) + "work of its queue was dropped, as a wait has told");
  }

  std::mutex mutex_;
  std::optional<Error> lost_;
  std::uint64_t losses_ = 0;
  std::uint64_t losses_anew_ = 0;
};

}  // namespace bifold::core
