#include "measure/device_facts.hpp"

#include "base/format.hpp"
#include "core/device/state.hpp"
#include "core/gallery/self_check.hpp"
#include "core/gallery/tuning_file.hpp"

namespace bench {

DeviceFacts facts_of(const bifold::Device& device) {
  DeviceFacts facts;
  const bifold::detail::DeviceState& state = *device.state();
  facts.clocks = clocks_of(device);
  facts.tuned_rows = state.tunings->rows().size();
  facts.rows_checked = state.self_check->findings().size();
  for (const bifold::core::Finding& finding : state.self_check->findings()) {
    if (finding.problem.empty()) continue;
    facts.problems.push_back(
        formatted("{}, {}: {}", finding.row->name, name_of(finding.judged), finding.problem));
  }
  return facts;
}

}  // namespace bench
