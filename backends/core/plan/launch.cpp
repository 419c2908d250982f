#include "core/plan/launch.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstring>
#include <vector>

#include "core/operators/scalars.hpp"

namespace bifold::core {

void launch_with_scalars(const CallQueue& queue, const PlannedKernel& planned, std::uint64_t groups,
                         std::span<const backend::Argument> arguments) {
  const std::vector<KernelScalar>& scalars = planned.scalars.all;
  std::array<std::byte, max_scalar_bytes> values;
  std::fill_n(values.begin(), planned.scalars.bytes, std::byte{0});
  std::vector<backend::Argument> list;
  list.reserve(arguments.size() + 1 + 2 * scalars.size());
  list.assign(arguments.begin(), arguments.end());
  list.push_back({values.data(), planned.scalars.bytes});
  for (const KernelScalar& one : scalars) {
    if (one.index >= queue.scalars.size()) {
      throw Error(ErrorCategory::unsupported,
                  "scalar \"" + one.name + "\": this kind of call takes none");
    }
    const CallScalar& given = queue.scalars[one.index];
    if (!given.memory) {
      std::memcpy(values.data() + one.offset, given.value.data(), given.value.size());
      continue;
    }
    list.push_back(argument(given.memory->memory));
    list.push_back(argument(given.memory->offset));
  }
  queue.backend.launch(*planned.kernel, groups, planned.group_size, list);
}

}  // namespace bifold::core
