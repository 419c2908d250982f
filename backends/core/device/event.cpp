#include <bifold/error.hpp>
#include <bifold/event.hpp>

#include "core/device/state.hpp"

namespace bifold {

void Event::wait(TimeLimit limit) const try {
  if (!state_) return;
  core::refuse_forked();
  state_->event->wait(limit);
} catch (...) {
  detail::rethrow();
}

bool Event::complete() const try {
  if (!state_) return true;
  core::refuse_forked();
  return state_->event->complete();
} catch (...) {
  detail::rethrow();
}

double elapsed(const Event& earlier, const Event& later) try {
  if (!earlier.state() || !later.state()) {
    throw Error(ErrorCategory::invalid_argument, "an empty event has no time");
  }
  core::refuse_forked();
  return later.state()->event->seconds_since(*earlier.state()->event);
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
