#include "opencl/queue/event_order.hpp"

#include <algorithm>

namespace bifold::backend::opencl {

namespace {

// Ended well or not, an event orders nothing any more. PoCL 3.1 even waits for ever for one that
// had failed before the command that waits for it was enqueued.
void drop_ended(std::vector<cl::Event>& events) {
  std::erase_if(events, [](const cl::Event& event) { return status_of(event) <= CL_COMPLETE; });
}

void append(std::vector<cl::Event>& to, const std::vector<cl::Event>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

cl_int status_of(const cl::Event& event) noexcept {
  cl_int status = CL_QUEUED;
  const cl_int code =
      clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code == CL_SUCCESS ? status : CL_QUEUED;
}

void Watched::make_room(std::size_t more) {
  if (events_.size() >= limit_) {
    look();
    limit_ = std::max<std::size_t>(16, 2 * events_.size());
  }
  // As long as the limit, so that not every call allocates.
  if (events_.capacity() < events_.size() + more) events_.reserve(limit_ + events_.size() + more);
}

void Watched::look() {
  std::erase_if(events_, [this](const cl::Event& event) {
    const cl_int status = status_of(event);
    if (status < 0) {
      if (!failure_) failure_ = status;
      news_ = true;
    }
    return status <= CL_COMPLETE;
  });
}

void Watched::look_if_done() {
  if (!events_.empty() && status_of(events_.back()) <= CL_COMPLETE) look();
}

std::optional<cl_int> Watched::take_failure() noexcept { return std::exchange(failure_, {}); }

void Watched::forget() noexcept {
  events_.clear();
  failure_.reset();
}

void EventOrder::begin_call(Ordering ordering) {
  ordering_ = ordering;
  drop_ended(gates_);
  heads_.clear();
  append(heads_, gates_);
  if (ordering == Ordering::queue || tails_.size() >= tails_limit_) drop_ended_tails();
  if (ordering == Ordering::queue) append(heads_, tails_);
  has_commands_ = false;
  // What end_call() and enqueued() add has its place by now.
  if (tails_.capacity() == tails_.size()) tails_.reserve(2 * tails_.size() + 1);
  heads_.reserve(1);
  in_call_ = true;
}

void EventOrder::end_call() noexcept {
  // After its first command a call has one head: the event of its last.
  if (has_commands_) {
    if (ordering_ == Ordering::queue) tails_.clear();
    tails_.push_back(std::move(heads_.front()));
  }
  heads_.clear();
  in_call_ = false;
}

void EventOrder::fence() {
  drop_ended_tails();
  append(gates_, tails_);
}

void EventOrder::wait(const std::vector<cl::Event>& events) {
  if (!in_call_) drop_ended(gates_);
  append(in_call_ ? heads_ : gates_, events);
}

void EventOrder::drop_ended_tails() {
  const auto failed = [](const cl::Event& event) { return status_of(event) < 0; };
  if (std::any_of(tails_.begin(), tails_.end(), failed)) news_ = true;
  drop_ended(tails_);
  tails_limit_ = std::max<std::size_t>(16, 2 * tails_.size());
}

void EventOrder::enqueued(cl::Event event) noexcept {
  heads_.clear();
  heads_.push_back(std::move(event));
  has_commands_ = true;
}

}  // namespace bifold::backend::opencl
