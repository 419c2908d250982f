// What planners share: sizes from tuning, kernels from specs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/kernel/kernel_source.hpp"
#include "core/plan/launch.hpp"
#include "core/plan/partials.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/row.hpp"
#include "core/plan/turns.hpp"

namespace bifold::core {

/// Thrown by build_kernel when the compiled kernel cannot have the planned group; build_plan plans
/// again with a smaller one.
struct GroupTooLarge {
  std::uint32_t limit;

  /// The size to try after `group`; 0: none is left.
  [[nodiscard]] std::uint32_t next(std::uint32_t group) const noexcept {
    return std::min(group / 2, std::bit_floor(limit));
  }
};

/// Compiles or finds the kernel. Its groups have one work-item where the spec does not say.
PlannedKernel build_kernel(const Device& device, const KernelSpec& spec);

/// Elements that one group takes at a time.
std::uint64_t span_of(const Row& row, const PlanShape& shape, const Tuning& tuning);

/// Turns that a work-item makes for each span of elements that its group takes.
Turns turns_of_groups(const Tuning& tuning, std::uint64_t span);

/// Independent accumulators of a work-item that reduces a chunk.
std::uint32_t stripes_of(const PlanShape& shape, const Tuning& tuning);

/// The most groups that a row wants at once on this device.
std::uint64_t max_groups(const Device& device, const Tuning& tuning);

/// Builds the plan of a row; compiles what is not in the kernel cache.
std::shared_ptr<const detail::Plan> build_plan(const Request& request, const Row& row,
                                               const Tuning& tuning);

}  // namespace bifold::core
