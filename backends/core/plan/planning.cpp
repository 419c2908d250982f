#include "core/plan/planning.hpp"

#include <bifold/error.hpp>
#include <limits>
#include <string>

#include "core/base/log.hpp"
#include "core/device/state.hpp"
#include "core/plan/make_spec.hpp"

namespace bifold::core {

std::uint64_t span_of(const Row& row, const PlanShape& shape, const Tuning& tuning) {
  std::uint64_t span = tuning.get("GROUP_SIZE");
  for (const std::string_view factor : {"PER_ITEM", "COARSE_FACTOR", "UNROLL", "ROWS"}) {
    span *= tuning.get_or(factor, 1);
  }
  return tuning.get_or("pack_bytes", 0) > 0 ? span * pack_width(row, shape, tuning) : span;
}

Turns turns_of_groups(const Tuning& tuning, std::uint64_t span) {
  return turns_per_span(divide_up(span, tuning.get("GROUP_SIZE")));
}

std::uint32_t stripes_of(const PlanShape& shape, const Tuning& tuning) {
  // An operator that does not commute gets one accumulator.
  return shape.op.commutative() ? tuning.get("STRIPES") : 1;
}

std::uint64_t max_groups(const Device& device, const Tuning& tuning) {
  constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t fixed = tuning.get_or("groups", unlimited);
  if (fixed != unlimited) return fixed;
  const std::uint32_t per_unit = tuning.get_or("groups_per_unit", unlimited);
  if (per_unit == unlimited) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{device.capabilities().compute_units} * per_unit;
}

PlannedKernel build_kernel(const Device& device, const KernelSpec& spec) {
  PlannedKernel planned;
  for (const auto& [name, value] : spec.defines) {
    if (name == "GROUP_SIZE") planned.group_size = value;
  }
  planned.kernel = device.state()->kernels.get(spec);
  if (planned.kernel->max_group_size() < planned.group_size) {
    throw GroupTooLarge{planned.kernel->max_group_size()};
  }
  return planned;
}

std::shared_ptr<const detail::Plan> build_plan(const Request& request, const Row& row,
                                               const Tuning& tuning) {
  Tuning values = tuning;
  for (;;) {
    try {
      return row.recipe.planner(request, row, values);
    } catch (const GroupTooLarge& too_large) {
      const std::uint32_t group = values.get("GROUP_SIZE");
      const std::uint32_t next = too_large.next(group);
      if (next == 0) {
        throw Error(ErrorCategory::unsupported,
                    std::string(row.variant.name) + " does not fit a work-group of this device");
      }
      log().debug("{}: a group of {} is too large for this device", row.variant.name, group);
      values.set("GROUP_SIZE", next);
    }
  }
}

}  // namespace bifold::core
