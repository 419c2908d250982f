#include "group_sizes.hpp"

#include <algorithm>
#include <bifold/order.hpp>

#include "core/gallery/shape_tuning.hpp"
#include "core/shape/layout.hpp"
#include "core/shape/plan_shape.hpp"
#include "support/environment.hpp"

namespace bifold::test {

namespace {

core::PlanShape shape_of(const Workload& workload) {
  return {workload.input,    workload.accumulator, workload.output, workload.kind, workload.op, {},
          workload.on_device};
}

}  // namespace

core::Tuning default_tuning_of(const Workload& workload) {
  return core::built_in_tuning({device(), shape_of(workload)}, *workload.row);
}

std::optional<core::Tuning> tuning_with_group(const Workload& workload, std::uint32_t group_size) {
  core::Tuning tuning = default_tuning_of(workload);
  if (group_size == 0) return tuning;
  if (!tuning.group_size) return {};
  const Capabilities& capabilities = device().capabilities();
  if (group_size > capabilities.max_group_size) return {};
  // Registers are exchanged between whole lane groups; local memory serves any size.
  if (capabilities.lanes != "local" && group_size % std::max(capabilities.subgroup_width, 32u)) {
    return {};
  }
  tuning.group_size = group_size;
  return tuning;
}

std::uint64_t tile_of(const Workload& workload) {
  if (workload.row->family == "scan_order_ring") {
    const core::Layout layout = layout_of(shape_of(workload), device().capabilities());
    const std::size_t accumulator = size_of(workload.accumulator);
    const std::uint64_t runs = order_v1::scan_tile(accumulator) / order_v1::scan_run(accumulator);
    return runs / order_v1::scan_strip_rows * layout.strip_rows * layout.run;
  }
  if (workload.row->family.starts_with("scan_order")) {
    return order_v1::scan_tile(size_of(workload.accumulator));
  }
  std::uint64_t tile = 1;
  const core::Tuning tuning = default_tuning_of(workload);
  for (const core::Tuning::Value& factor :
       {tuning.group_size, tuning.per_item, tuning.rows, tuning.unroll, tuning.stripes}) {
    tile *= std::max(factor.value_or(1), 1U);
  }
  // Rows and stripes are made of vectors of 16 bytes.
  return tuning.rows ? tile * 16 / size_of(workload.input) : tile;
}

}  // namespace bifold::test
