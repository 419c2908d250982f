// Waiting with a time limit, which the drivers' blocking calls do not have.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace bifold::core {

/// How long a failure waits for work whose end could not be waited for as usual.
inline constexpr std::chrono::seconds settle_limit{10};

/// Asks `done` until it says yes or the limit is over; returns whether it said yes. A no that was
/// asked for before the limit ends no wait: an answer may take long, on a busy machine or from a
/// driver that works as it is asked. The pauses grow with the time waited: a long wait costs no
/// processor, and none ends late by more than a small share of its length.
template <class Done>
bool done_within(std::chrono::nanoseconds limit, Done done) {
  using namespace std::chrono_literals;
  using std::chrono::nanoseconds;
  // The system's timers round a shorter sleep up to about this.
  constexpr nanoseconds shortest_pause = 50us;
  constexpr nanoseconds longest_pause = 1ms;
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const nanoseconds waited = std::chrono::steady_clock::now() - start;
    if (done()) return true;
    if (waited >= limit) return false;
    if (waited < shortest_pause) {
      std::this_thread::yield();
    } else {
      const nanoseconds pause = std::clamp(waited / 32, shortest_pause, longest_pause);
      std::this_thread::sleep_for(std::min(pause, limit - waited));
    }
  }
}

}  // namespace bifold::core
