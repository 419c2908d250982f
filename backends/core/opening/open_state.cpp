#include "core/opening/open_state.hpp"

#include <bifold/error.hpp>
#include <utility>

#include "core/gallery/disabled_rows.hpp"
#include "core/gallery/self_check.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/gallery/type_trials.hpp"
#include "core/plan/plan_table.hpp"

namespace bifold::core {

std::shared_ptr<detail::DeviceState> open_state(DeviceInfo info,
                                                std::shared_ptr<backend::Device> device,
                                                const DeviceOptions& options) {
  auto state = make_state<detail::DeviceState>(std::move(info), std::move(device), options);
  const backend::Device& backend = *state->backend;
  state->plans = std::make_shared<PlanTable>();
  state->self_check = std::make_shared<SelfCheckResult>(
      load_self_check(options.cache, state->info, backend.binary_key()));
  state->tunings = std::make_shared<Tunings>(
      load_tunings(options, state->info, backend.capabilities().architecture));
  state->trials = std::make_shared<TypeTrials>();
  if ((options.scratch.allocate == nullptr) != (options.scratch.release == nullptr)) {
    throw Error(ErrorCategory::invalid_argument,
                "a scratch allocator has both functions or neither");
  }
  warn_of_unknown_rows();
  return state;
}

}  // namespace bifold::core
