#include "core/gallery/choose_row.hpp"

#include <bifold/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/device/state.hpp"
#include "core/element/accumulator.hpp"
#include "core/gallery/disabled_rows.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/gallery_support.hpp"
#include "core/gallery/self_check.hpp"
#include "core/kernel/architecture.hpp"
#include "core/shape/check_shape.hpp"

namespace bifold {

namespace core {

namespace {

using gallery::Support;
using gallery::Variant;

Support no(std::string reason) { return {false, std::move(reason)}; }

// Rows whose groups wait for each other want a device that is known to run started groups on, or
// passed the stress of `bifold-bench check`, and that orders what they publish; elsewhere they run
// only when asked for by name.
Support may_run_unattended(const Request& request, const Variant& variant) {
  const Device& device = request.device;
  const PlanShape& shape = request.shape;
  const bool wants_v1 = shape.order == Order::v1 && !shape.op.exact(shape.accumulator);
  if (wants_v1 && variant.order != gallery::Order::v1) return no("it is not in order v1");
  const Recipe& recipe = recipe_of(variant);
  if (recipe.only_bytes > 0) {
    const std::size_t accumulator = AccumulatorLayout(shape.op, shape.accumulator).bytes;
    const auto others = [&](Type type) { return size_of(type) != recipe.only_bytes; };
    if (accumulator != recipe.only_bytes || std::ranges::any_of(stored_types(shape), others)) {
      return no("production takes it for elements of " + std::to_string(recipe.only_bytes) +
                " bytes");
    }
  }
  if (is_disabled(variant.name)) return no("switched off by BIFOLD_DISABLE");
  const SelfCheckResult& self_check = *device.state()->self_check;
  if (const std::string problem = self_check.problem(variant, shape); !problem.empty()) {
    return no("bifold-bench check found it wrong on this device: " + problem);
  }
  if (!variant.requirements.published_words) return {};
  const Capabilities& has = device.capabilities();
  if (has.progress != ForwardProgress::started_groups && !self_check.passed(variant, shape)) {
    return no("the device is not known to run started groups while others wait");
  }
  if (!has.acquire_release) {
    return no("the device promises no acquire and release across work-groups");
  }
  return {};
}

// The rows that production tries for this shape, best first.
const std::vector<std::string_view>& rows_to_try(const Request& request, const Recipe& recipe) {
  const Device& device = request.device;
  if (device.info().kind == DeviceKind::cpu) return recipe.on_cpu;
  const bool wide = has_lanes_of_32(device.capabilities()) && size_of(request.shape.input) >= 4;
  return wide && !recipe.on_lanes_of_32.empty() ? recipe.on_lanes_of_32 : recipe.on_gpu;
}

}  // namespace

Choice choose_row(const Request& request, const Variant& variant, const Variant* after) {
  const Recipe& recipe = recipe_of(variant);
  if (recipe.planner != nullptr) {
    Support possible = supports_shape(request, variant);
    return {possible ? &variant : nullptr, std::move(possible.reason)};
  }
  Choice choice;
  for (const auto name : rows_to_try(request, recipe)) {
    const Variant& candidate = *gallery::find(variant.algorithm, name);
    if (after != nullptr) {
      if (&candidate == after) after = nullptr;
      continue;
    }
    Support possible = may_run_unattended(request, candidate);
    if (possible) possible = supports_shape(request, candidate);
    if (possible) {
      choice.variant = &candidate;
      break;
    }
    choice.reasons += (choice.reasons.empty() ? "" : "; ") + std::string(name) + ": " +
                      std::move(possible.reason);
  }
  return choice;
}

const gallery::Variant& choose_variant(const Request& request, Algorithm algorithm,
                                       std::string_view name) {
  const Device& device = request.device;
  const PlanShape& shape = request.shape;
  check_shape(shape);
  if (algorithm == Algorithm::reduce && shape.on_device.total) {
    throw Error(ErrorCategory::invalid_argument, "a reduction has no total beside its result");
  }
  const gallery::Variant& asked = row_named(algorithm, name);
  const Choice choice = choose_row(request, asked);
  if (choice.variant == nullptr) {
    throw Error(ErrorCategory::unsupported, std::string(name_of(algorithm)) + " variant " +
                                                std::string(name) + " on " +
                                                device.info().selector + ": " + choice.reasons);
  }
  if (choice.variant != &asked) {
    log().debug("{} of {} on {}: {} chosen{}{}", name_of(algorithm), name_of(shape.input),
                device.info().selector, choice.variant->name,
                choice.reasons.empty() ? "" : "; not ", choice.reasons);
  }
  return *choice.variant;
}

}  // namespace core

gallery::Support gallery::supports(const Device& device, const Variant& variant, Type type,
                                   const Operator& op) try {
  core::PlanShape shape{type, accumulator_of(type), type, ScanKind::inclusive, op};
  if (variant.algorithm == Algorithm::select) {
    // The operator of a selection is its own.
    shape.accumulator = Type::u64;
    shape.op = plus;
    shape.on_device.total = true;
    shape.selection.emplace();
  }
  core::Choice choice = core::choose_row({device, std::move(shape)}, variant);
  if (choice.variant != nullptr) return {};
  return {false, std::move(choice.reasons)};
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
