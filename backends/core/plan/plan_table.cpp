#include "core/plan/plan_table.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "core/element/struct_types.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

namespace {

bool means(const detail::Plan& plan, const PlanShape& shape) {
  const auto same = [](const auto& left, const auto& right) {
    return (left.is_identity() && right.is_identity()) || left == right;
  };
  const PlanShape& known = plan.shape();
  const auto equality = [](const PlanShape& of) { return of.keys ? of.keys->equality : Map{}; };
  return same(equality(known), equality(shape)) && known.op == shape.op &&
         same(known.map, shape.map) && same(known.result_map, shape.result_map) &&
         known.more_inputs == shape.more_inputs &&
         std::ranges::equal(known.more_outputs, shape.more_outputs,
                            [&](const OutputShape& left, const OutputShape& right) {
                              return left.type == right.type &&
                                     same(left.result_map, right.result_map);
                            });
}

// What is kept refers to definitions that stay; the caller's go when they like.
PlanKey kept(PlanKey key) {
  for (Type* type : {&key.input, &key.accumulator, &key.output}) *type = core::kept(*type);
  if (key.second) key.second = core::kept(*key.second);
  for (Type& type : key.more_outputs) type = core::kept(type);
  for (Type& type : key.more_inputs) type = core::kept(type);
  if (key.keys) {
    key.keys->keys = core::kept(key.keys->keys);
    key.keys->unique = core::kept(key.keys->unique);
  }
  return key;
}

}  // namespace

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
  if (entry == nullptr) return nullptr;
  Keeping& keeping = entry->plan->keeping();
  if (keeping.may_go()) keeping.use(++clock_);
  return entry->plan;
}

std::vector<std::shared_ptr<const detail::Plan>> PlanTable::take_least_used() {
  using Plans = std::vector<std::shared_ptr<const detail::Plan>>;
  const auto last_use = [](const auto& plan) { return plan->keeping().last_use(); };
  const std::unique_lock lock(mutex_);
  Plans plans;
  for (const auto& [key, entries] : plans_) {
    for (const Entry& entry : entries) {
      const bool in_hand = entry.plan.use_count() > 1;
      if (entry.plan->keeping().may_go() && !in_hand) plans.push_back(entry.plan);
    }
  }
  std::sort(plans.begin(), plans.end(),
            [&](const auto& left, const auto& right) { return last_use(left) < last_use(right); });
  const std::size_t few = (plans.size() + 3) / 4;
  Plans taken;
  for (auto at = plans.begin(); at != plans.end() && taken.size() < few; ++at) {
    if ((*at)->keeping().is_idle()) taken.push_back(std::move(*at));
  }
  const auto is_taken = [&taken](const Entry& entry) {
    return std::find(taken.begin(), taken.end(), entry.plan) != taken.end();
  };
  for (auto at = plans_.begin(); at != plans_.end();) {
    std::erase_if(at->second, is_taken);
    at = at->second.empty() ? plans_.erase(at) : std::next(at);
  }
  return taken;
}

// Texts of one id that differ are not expected; such a plan is made anew for every call, unless it
// may go: what is not here does not wait for its kernels.
std::shared_ptr<const detail::Plan> PlanTable::add(
    const PlanKey& key, const std::shared_ptr<const detail::Plan>& plan) {
  const bool may_go = plan->keeping().may_go();
  if (may_go) plan->keeping().use(++clock_);
  const std::unique_lock lock(mutex_);
  Entries& entries = plans_[kept(key)];
  if (const Entry* known = serving(entries, plan->shape())) return known->plan;
  if (may_go || entries.empty() || means(*entries.front().plan, plan->shape())) {
    entries.push_back({plan->serves(), plan});
  }
  return plan;
}

}  // namespace bifold::core
