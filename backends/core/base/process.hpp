// What a process may do with drivers, and what it leaves alone that a fork brought along.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace bifold::core {

/// What is_forked() tells. Set in the child of a fork, by nobody else.
extern constinit std::atomic<bool> forked_process;
/// Throws device_lost.
[[noreturn]] void raise_forked();

/// Whether this process was forked from one that had used drivers. Their threads are not here, and
/// locks of theirs and of this library may be held for ever. Costs a load.
[[nodiscard]] inline bool is_forked() noexcept {
  return forked_process.load(std::memory_order_relaxed);
}

/// Throws device_lost where is_forked(). Every call begins with it, before it takes a lock.
inline void refuse_forked() {
  if (is_forked()) [[unlikely]] {
    raise_forked();
  }
}

/// As refuse_forked(); from now on this process counts as one that uses drivers.
void enter_drivers();

/// Throws invalid_argument: the handle of that class was moved from.
[[noreturn]] void refuse_moved_from(const char* handle);

/// A value that is not destroyed where is_forked(): destroying it would call a driver.
template <class T>
class LeftInFork {
 public:
  template <class... Args>
  explicit LeftInFork(Args&&... args) : value_(std::forward<Args>(args)...) {}
  LeftInFork(const LeftInFork&) = delete;
  LeftInFork& operator=(const LeftInFork&) = delete;
  ~LeftInFork() {
    if (!is_forked()) std::destroy_at(&value_);
  }

  [[nodiscard]] T& get() noexcept { return value_; }

 private:
  union {
    T value_;  // NOLINT(readability-identifier-naming): as private as the union.
  };
};

/// What stands behind a handle of the user's.
template <class State, class... Args>
std::shared_ptr<State> make_state(Args&&... args) {
  const auto owner = std::make_shared<LeftInFork<State>>(std::forward<Args>(args)...);
  return {owner, &owner->get()};
}

}  // namespace bifold::core
