// Events that a queue keeps: to tell of dropped work, and to order commands where the native queue
// does not.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// The execution status of an event; CL_QUEUED where it does not answer, which is the safe side.
cl_int status_of(const cl::Event& event) noexcept;

/// Events whose failure matters, each until it is known how it ended.
class Watched {
 public:
  /// Makes room for `more` events: what can fail comes before the commands whose events they are.
  /// The first call of a burst pays for looking at all of them.
  void make_room(std::size_t more = 1);
  /// Does not throw where there is room.
  void add(cl::Event event) { events_.push_back(std::move(event)); }
  /// Lets go of the events that have ended; a failed one is remembered.
  void look();
  /// The same, if the newest event has ended; else nothing, at the price of one question.
  void look_if_done();

  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
  /// Whether look() has met a failure since the last time of asking.
  [[nodiscard]] bool has_news() noexcept { return std::exchange(news_, false); }
  /// The code of the first failure met, told once.
  [[nodiscard]] std::optional<cl_int> take_failure() noexcept;
  void forget() noexcept;

 private:
  std::vector<cl::Event> events_;
  std::size_t limit_ = 16;
  std::optional<cl_int> failure_;
  bool news_ = false;
};

/// The order of commands on a native queue that keeps none. Every command waits for the one before
/// it in its call; calls of Ordering::queue come behind everything, those of Ordering::events
/// behind what they wait for.
class EventOrder {
 public:
  void begin_call(Ordering ordering);
  void end_call() noexcept;
  [[nodiscard]] bool in_call() const noexcept { return in_call_; }
  /// The calls to come are behind all of the calls so far.
  void fence();
  /// In a call, for the rest of it; outside, for the calls to come.
  void wait(const std::vector<cl::Event>& events);

  /// What the next command of the open call has to wait for.
  [[nodiscard]] const std::vector<cl::Event>& heads() const noexcept { return heads_; }
  /// That command has been enqueued, with this event. Does not throw.
  void enqueued(cl::Event event) noexcept;

  /// Whether an earlier call has been seen to fail since the last time of asking.
  [[nodiscard]] bool has_news() noexcept { return std::exchange(news_, false); }

 private:
  void drop_ended_tails();

  std::vector<cl::Event> gates_;  ///< What every call waits for.
  std::vector<cl::Event> tails_;  ///< Ends of earlier calls.
  std::vector<cl::Event> heads_;
  std::size_t tails_limit_ = 16;
  Ordering ordering_ = Ordering::queue;
  bool in_call_ = false;
  bool has_commands_ = false;  ///< In the open call.
  bool news_ = false;
};

}  // namespace bifold::backend::opencl
