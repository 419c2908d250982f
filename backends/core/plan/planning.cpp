#include "core/plan/planning.hpp"

#include <bifold/error.hpp>
#include <limits>
#include <string>

#include "core/base/log.hpp"
#include "core/device/state.hpp"
#include "core/plan/make_spec.hpp"

namespace bifold::core {

std::uint64_t span_of(const Row& row, const PlanShape& shape, const Tuning& tuning) {
  std::uint64_t span = tuning.group_size.value();
  for (const Tuning::Value& factor :
       {tuning.per_item, tuning.coarse_factor, tuning.unroll, tuning.rows}) {
    span *= factor.value_or(1);
  }
  return tuning.vector_bytes ? span * vector_width(row, shape, tuning) : span;
}

Turns turns_of_groups(const Tuning& tuning, std::uint64_t span) {
  return turns_per_span(divide_up(span, tuning.group_size.value()));
}

std::uint32_t stripes_of(const PlanShape& shape, const Tuning& tuning) {
  // An operator that does not commute gets one accumulator.
  return shape.op.commutative() ? tuning.stripes.value() : 1;
}

std::uint64_t max_groups(const Device& device, const Tuning& tuning) {
  if (tuning.groups) return *tuning.groups;
  if (!tuning.groups_per_unit) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{device.capabilities().compute_units} * *tuning.groups_per_unit;
}

PlannedKernel build_kernel(const Device& device, const KernelSpec& spec) {
  PlannedKernel planned{device.state()->kernels.get(spec), spec.group_size.value_or(1),
                        spec.scalars};
  if (planned.kernel->max_group_size() < planned.group_size) {
    throw GroupTooLarge{planned.kernel->max_group_size()};
  }
  return planned;
}

std::shared_ptr<const detail::Plan> build_plan(const Request& request, const Row& row,
                                               const Tuning& tuning) {
  require_values(tuning, row.variant, row.recipe.fixed, request.device.info().kind);
  Tuning values = tuning;
  for (;;) {
    try {
      return row.recipe.planner(request, row, values);
    } catch (const GroupTooLarge& too_large) {
      const std::uint32_t group = values.group_size.value();
      const std::uint32_t next = too_large.next(group);
      if (next == 0) {
        throw Error(ErrorCategory::unsupported,
                    std::string(row.variant.name) + " does not fit a work-group of this device");
      }
      log().debug("{}: a group of {} is too large for this device", row.variant.name, group);
      values.group_size = next;
    }
  }
}

}  // namespace bifold::core
