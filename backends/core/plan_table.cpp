#include "core/plan_table.hpp"

#include <mutex>

namespace bifold::core {

std::shared_ptr<const detail::Plan> PlanTable::find(const PlanKey& key, const Operator& op) const {
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(key);
  // Operators of one id that differ are not expected; such a plan is made anew for every call.
  return found != entries_.end() && found->second.op == op ? found->second.plan : nullptr;
}

std::shared_ptr<const detail::Plan> PlanTable::add(
    const PlanKey& key, const Operator& op, const std::shared_ptr<const detail::Plan>& plan) {
  const std::unique_lock lock(mutex_);
  const auto [entry, added] = entries_.try_emplace(key, Entry{op, plan});
  return added || !(entry->second.op == op) ? plan : entry->second.plan;
}

}  // namespace bifold::core
