#include "core/plan_table.hpp"

#include <mutex>

#include "core/plan.hpp"

namespace bifold::core {

namespace {

bool means(const detail::Plan& plan, const PlanShape& shape) {
  return plan.shape().op == shape.op && plan.shape().map == shape.map;
}

}  // namespace

std::shared_ptr<const detail::Plan> PlanTable::find(const PlanKey& key,
                                                    const PlanShape& shape) const {
  const std::shared_lock lock(mutex_);
  const auto found = plans_.find(key);
  // Texts of one id that differ are not expected; such a plan is made anew for every call.
  return found != plans_.end() && means(*found->second, shape) ? found->second : nullptr;
}

std::shared_ptr<const detail::Plan> PlanTable::add(
    const PlanKey& key, const std::shared_ptr<const detail::Plan>& plan) {
  const std::unique_lock lock(mutex_);
  const auto [entry, added] = plans_.try_emplace(key, plan);
  return added || !means(*entry->second, plan->shape()) ? plan : entry->second;
}

}  // namespace bifold::core
