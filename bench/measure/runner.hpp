// What every measuring command does: open devices, verify and time configurations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "measure/result.hpp"
#include "measure/session.hpp"

namespace bench {

/// Measurements that hold no result yet: time, host and version are filled in.
Measurements begin_measurements();

/// Opens the devices that `selectors` name, each once; every device found when there are none.
/// Throws UsageError for a selector that nothing answers. A device found that cannot be opened is
/// added to `unopened`; that there is none at all is told on standard error.
std::vector<bifold::Device> open_devices(const std::vector<std::string>& selectors,
                                         std::vector<UnopenedDevice>& unopened,
                                         const bifold::DeviceOptions& options = {});

/// The same with a session on each.
std::vector<Session> open_sessions(const std::vector<std::string>& selectors, const Budget& budget,
                                   Measurements& measurements);

/// Blocks. Measures every result that is not timed yet and has no reason not to be, and fills in
/// the devices' reports. The results' order stays. `after_each`, if any, is called with each result
/// that was tried, with the devices' reports as they are then. An interrupt ends it early: results
/// that were not reached are then no longer among the others.
void measure_all(Measurements& measurements, std::vector<Session>& sessions, const Budget& budget,
                 ProgressMode progress, const std::function<void(const Result&)>& after_each = {});

}  // namespace bench
