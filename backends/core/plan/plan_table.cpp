#include "core/plan/plan_table.hpp"

#include <mutex>

#include "core/element/struct_types.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

namespace {

bool means(const detail::Plan& plan, const PlanShape& shape) {
  const auto same = [](const auto& left, const auto& right) {
    return (left.is_identity() && right.is_identity()) || left == right;
  };
  const PlanShape& known = plan.shape();
  return known.op == shape.op && same(known.map, shape.map) &&
         same(known.result_map, shape.result_map);
}

// What is kept refers to definitions that stay; the caller's go when they like.
PlanKey kept(PlanKey key) {
  for (Type* type : {&key.input, &key.accumulator, &key.output}) *type = core::kept(*type);
  if (key.second) key.second = core::kept(*key.second);
  return key;
}

}  // namespace

// Texts of one id that differ are not expected; such a plan is made anew for every call.
const PlanTable::Entry* PlanTable::serving(const Entries& entries, const PlanShape& shape) {
  for (const Entry& entry : entries) {
    if (entry.sizes.contains(shape.sizes) && means(*entry.plan, shape)) return &entry;
  }
  return nullptr;
}

std::shared_ptr<const detail::Plan> PlanTable::find(const PlanKey& key,
                                                    const PlanShape& shape) const {
  const std::shared_lock lock(mutex_);
  const auto found = plans_.find(key);
  if (found == plans_.end()) return nullptr;
  const Entry* entry = serving(found->second, shape);
  return entry == nullptr ? nullptr : entry->plan;
}

std::shared_ptr<const detail::Plan> PlanTable::add(
    const PlanKey& key, const std::shared_ptr<const detail::Plan>& plan) {
  const std::unique_lock lock(mutex_);
  Entries& entries = plans_[kept(key)];
  if (const Entry* known = serving(entries, plan->shape())) return known->plan;
  if (entries.empty() || means(*entries.front().plan, plan->shape())) {
    entries.push_back({plan->serves(), plan});
  }
  return plan;
}

}  // namespace bifold::core
