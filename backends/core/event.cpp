#include <bifold/error.hpp>
#include <bifold/event.hpp>

#include "core/state.hpp"

namespace bifold {

void Event::wait(TimeLimit limit) const {
  if (!state_) return;
  core::refuse_forked();
  state_->event->wait(limit);
}

bool Event::complete() const {
  if (!state_) return true;
  core::refuse_forked();
  return state_->event->complete();
}

double elapsed(const Event& earlier, const Event& later) {
  if (!earlier.state() || !later.state()) {
    throw Error(ErrorCategory::invalid_argument, "an empty event has no time");
  }
  core::refuse_forked();
  return later.state()->event->seconds_since(*earlier.state()->event);
}

}  // namespace bifold
