// What planners share: specs from shapes and tuning, kernels from specs, launches from arguments.
#pragma once

#include <array>
#include <bit>
#include <cctype>

#include "core/plan.hpp"

namespace bifold::core {

/// Thrown by build_kernel when the compiled kernel cannot have the planned group; build_plan plans
/// again with a smaller one.
struct GroupTooLarge {
  std::uint32_t limit;
};

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// The spec of `entry` in the row's own file, with the tuning values in capitals as defines.
KernelSpec make_spec(const gallery::Variant& variant, const PlanShape& shape, const Tuning& tuning,
                     std::string_view entry);

/// Compiles or finds the kernel. GROUP_SIZE is 1 where the spec does not define it.
PlannedKernel build_kernel(const Device& device, const KernelSpec& spec);

/// Elements in one 16-byte pack of the widest of the given element sizes.
constexpr std::uint32_t pack_width(std::size_t widest) {
  return static_cast<std::uint32_t>(16 / widest);
}

inline backend::Argument argument(const Scalar& value) { return {value.data(), value.size()}; }
inline backend::Argument argument(const std::uint64_t& value) { return {&value, sizeof value}; }
inline backend::Argument argument(const MemoryHandle& handle) {
  return {&handle.value, sizeof handle.value, backend::ArgumentKind::memory};
}

/// Launches `groups` groups with the arguments in the order of the kernel's parameters.
template <class... Arguments>
void launch(backend::Queue& queue, const PlannedKernel& planned, std::uint64_t groups,
            const Arguments&... arguments) {
  const std::array<backend::Argument, sizeof...(Arguments)> list{argument(arguments)...};
  queue.launch(*planned.kernel, groups, planned.group_size, list);
}

}  // namespace bifold::core
