// What every measuring command does: open devices, verify and time configurations.
#pragma once

#include <string>
#include <vector>

#include "progress.hpp"
#include "result.hpp"
#include "session.hpp"

namespace bench {

/// Measurements that hold no result yet: time, host and version are filled in.
Measurements begin_measurements();

/// Opens the devices that `selectors` name, each once; every device found when there are none.
/// Throws UsageError for a selector that nothing answers. Of the devices found, one that cannot be
/// opened is told in `measurements`; so is, on standard error, that there is none at all.
std::vector<Session> open_sessions(const std::vector<std::string>& selectors, const Budget& budget,
                                   Measurements& measurements);

/// Blocks. Measures every result that has no reason yet not to be, and fills in the devices'
/// reports. The results' order stays.
void measure_all(Measurements& measurements, std::vector<Session>& sessions, const Budget& budget,
                 ProgressMode progress);

}  // namespace bench
