// The plan of a call: known, or made of the row that is chosen and the values that it is tuned
// with.
#include <algorithm>
#include <bifold/error.hpp>
#include <bit>
#include <exception>
#include <utility>

#include "core/by_size.hpp"
#include "core/gallery_rows.hpp"
#include "core/log.hpp"
#include "core/planning.hpp"
#include "core/ranges.hpp"
#include "core/state.hpp"
#include "core/tuning_space.hpp"

namespace bifold::core {

namespace {

// Values that were measured on one type of a class may be too much for another, as for a struct
// with a large accumulator: that must not keep the call from being made.
std::shared_ptr<const detail::Plan> build_tuned(const Device& device,
                                                const gallery::Variant& variant,
                                                const PlanShape& shape) {
  const Tuning built_in = built_in_tuning(device, variant, shape);
  const Tuning tuned = tuning_for(device, variant, shape);
  if (tuned == built_in) return build_plan(device, variant, shape, built_in);
  try {
    return build_plan(device, variant, shape, tuned);
  } catch (const Error& error) {
    log().warn("{}: {} {} of {} takes its built-in values, not those of the tuning file: {}",
               device.info().selector, name_of(variant.algorithm), variant.name,
               name_of(shape.input), error.what());
    return build_plan(device, variant, shape, built_in);
  }
}

struct Built {
  const gallery::Variant* row;
  std::shared_ptr<const detail::Plan> plan;
};

// The plan of the first row that can be built. On a device without its compiler, production passes
// over rows whose kernels are not to be had; when there is none, the first row says why.
Built build_first(const Device& device, const gallery::Variant& asked, const PlanShape& shape) {
  const gallery::Variant* row = &choose_variant(device, asked.algorithm, asked.name, shape);
  std::exception_ptr first;
  for (;;) {
    try {
      return {row, build_tuned(device, *row, shape)};
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::unavailable || row == &asked) throw;
      if (!first) first = std::current_exception();
      log().debug("{} passed over: {}", row->name, error.what());
    }
    row = choose_row(device, asked, shape, row).variant;
    if (row == nullptr) std::rethrow_exception(first);
  }
}

}  // namespace

Tuning built_in_tuning(const Device& device, const gallery::Variant& variant,
                       const PlanShape& shape) {
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(shape.accumulator), size_of(shape.output)});
  return default_tuning(variant, device.info().kind, device.capabilities(), widest);
}

Tuning tuning_for(const Device& device, const gallery::Variant& variant, const PlanShape& shape) {
  Tuning values = built_in_tuning(device, variant, shape);
  const Tunings& tunings = device.state()->tunings;
  const Tuning* tuned = tunings.find(variant, element_class(variant.algorithm, shape));
  if (tuned == nullptr) return values;
  const std::uint32_t most = std::bit_floor(std::max(device.capabilities().max_group_size, 1U));
  for (const auto& [name, value] : tuned->entries()) {
    values.set(name, name == "GROUP_SIZE" ? std::min(value, most) : value);
  }
  return values;
}

std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, const PlanShape& shape,
                                              detail::QueueState* queue) {
  const gallery::Variant& asked = row_named(algorithm, variant);
  const PlanKey key{shape.op.id(), shape.map.id(), index_of(asked), shape.input, shape.accumulator,
                    shape.output,  shape.kind,     shape.on_device, shape.order, shape.second};
  PlanTable& plans = device.state()->plans;
  if (auto known = plans.find(key, shape)) return known;
  if (queue != nullptr) {
    const std::lock_guard lock(queue->mutex);
    refuse_in_graph(*queue, "planning the first call of a shape");
  }
  auto [row, plan] = build_first(device, asked, shape);
  const gallery::Variant& chosen = *row;
  // Of production, a row for large inputs has another one before it.
  const std::uint64_t at_least = tuning_for(device, chosen, shape).get_or(at_least_mib, 0);
  if (at_least > 0 && &asked != &chosen) {
    if (const Choice next = choose_row(device, asked, shape, &chosen); next.variant != nullptr) {
      const std::uint64_t elements = (at_least << 20) / size_of(shape.input);
      plan = by_size(device, chosen, shape, elements, build_tuned(device, *next.variant, shape),
                     std::move(plan));
    }
  }
  return plans.add(key, plan);
}

}  // namespace bifold::core
