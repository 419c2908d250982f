#include "core/plan/keeping.hpp"

#include <algorithm>
#include <bifold/error.hpp>

namespace bifold::core {

namespace {

bool has_ended(const Event& event) {
  try {
    return event.complete();
  } catch (const Error&) {
    return true;  // Work that failed has ended, too.
  }
}

}  // namespace

void Keeping::add_work(const Event& end) {
  const std::lock_guard lock(mutex_);
  // Calls may end in any order, so that no later one stands for an earlier one.
  if (ends_.size() >= many_) {
    forget_ended();
    many_ = std::max<std::size_t>(8, 2 * ends_.size());
  }
  ends_.push_back(end);
}

bool Keeping::is_idle() {
  const std::lock_guard lock(mutex_);
  forget_ended();
  return ends_.empty();
}

void Keeping::forget_ended() { std::erase_if(ends_, has_ended); }

}  // namespace bifold::core
