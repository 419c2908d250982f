// The plan of a call: known, or made of the row that is chosen and the values that it is tuned
// with.
#include <bifold/error.hpp>
#include <exception>
#include <utility>

#include "core/base/log.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/gallery/gallery_rows.hpp"
#include "core/plan/by_size.hpp"
#include "core/plan/planning.hpp"
#include "core/tuning/tuning_space.hpp"

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

// From how many elements on production runs the row, where another one is there for fewer.
std::uint64_t first_size(const Device& device, const gallery::Variant& row,
                         const PlanShape& shape) {
  return (std::uint64_t{tuning_for(device, row, shape).get_or(at_least_mib, 0)} << 20) /
         size_of(shape.input);
}

// The plan of the first row that can be built, with that of the row for fewer elements beside it.
// On a device without its compiler, production passes over rows whose kernels are not to be had;
// when there is none, the first row says why.
std::shared_ptr<const detail::Plan> build_first(const Device& device, const gallery::Variant& asked,
                                                const PlanShape& shape) {
  const gallery::Variant* row = &choose_variant(device, asked.algorithm, asked.name, shape);
  if (row == &asked) return build_tuned(device, asked, shape);
  const auto plan_of = [&](const gallery::Variant* variant) {
    return [&, variant] { return build_tuned(device, *variant, shape); };
  };
  std::exception_ptr first;
  for (;;) {
    try {
      const gallery::Variant* fewer = row_for_fewer(device, asked, shape, *row);
      if (fewer == nullptr) return build_tuned(device, *row, shape);
      return by_size(device, *row, shape, first_size(device, *row, shape), plan_of(fewer),
                     plan_of(row));
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::unavailable) throw;
      if (!first) first = std::current_exception();
      log().debug("{} passed over: {}", row->name, error.what());
    }
    const gallery::Variant* next = choose_row(device, asked, shape, row).variant;
    if (next == nullptr) std::rethrow_exception(first);
    row = next;
  }
}

}  // namespace

const gallery::Variant* row_for_fewer(const Device& device, const gallery::Variant& asked,
                                      const PlanShape& shape, const gallery::Variant& row) {
  if (first_size(device, row, shape) == 0) return nullptr;
  const gallery::Variant* next = &row;
  do {
    next = choose_row(device, asked, shape, next).variant;
  } while (next != nullptr && first_size(device, *next, shape) > 0);
  return next;
}

std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, PlanShape shape,
                                              const std::optional<Caller>& caller) {
  if (caller) shape.sizes = Sizes::of(caller->n);
  const gallery::Variant& asked = row_named(algorithm, variant);
  const PlanKey key{shape.op.id(), shape.map.id(), index_of(asked), shape.input, shape.accumulator,
                    shape.output,  shape.kind,     shape.on_device, shape.order, shape.second};
  PlanTable& plans = device.state()->plans;
  if (auto known = plans.find(key, shape)) return known;
  if (caller) {
    const std::lock_guard lock(caller->queue.mutex);
    refuse_in_graph(caller->queue, "planning the first call of a shape and about that size");
  }
  return plans.add(key, build_first(device, asked, shape));
}

}  // namespace bifold::core
