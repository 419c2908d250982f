/// @file
/// Events: "the work enqueued up to here is done".
#pragma once

#include <bifold/export.hpp>
#include <chrono>
#include <memory>
#include <optional>

namespace bifold {

/// @addtogroup events
/// @{

namespace detail {
struct EventState;
}

/// The longest a host wait may take; none means no limit.
using TimeLimit = std::optional<std::chrono::nanoseconds>;

/// A point in a queue's work. A value handle; copies are the same event. A default-constructed
/// event, and one that was moved from, is empty: it counts as complete. Thread-safe.
class BIFOLD_API_CLASS Event {
 public:
  /// An empty event, which counts as complete.
  Event() noexcept = default;

  /// Blocks until the work up to this event is done. Throws timeout past `limit`, and the failure
  /// when the work failed.
  void wait(TimeLimit limit = {}) const;

  /// Whether the work is done; does not block. Throws the failure when the work failed.
  [[nodiscard]] bool complete() const;

  /// @cond internal
  // The state behind the handle.
  explicit Event(std::shared_ptr<detail::EventState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::EventState>& state() const noexcept { return state_; }
  /// @endcond

 private:
  std::shared_ptr<detail::EventState> state_;
};

/// Seconds of device time between two events of one queue made with timing; both must be
/// complete. Throws invalid_argument for events of different or untimed queues.
BIFOLD_API double elapsed(const Event& earlier, const Event& later);

/// @}

}  // namespace bifold
