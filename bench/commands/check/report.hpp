// What `bifold-bench check` found, for people and as JSON.
#pragma once

#include <string>

#include "commands/check/check.hpp"
#include "commands/check/result.hpp"

namespace bench {

/// What stands above a device's rows.
std::string check_heading(const CheckedDevice& device);
/// One of its lines, once it was checked.
std::string check_row(const CheckedDevice& device, const CheckLine& line);
/// What follows all rows: why something failed, what production runs as a result.
std::string check_conclusions(const CheckReport& report);
std::string check_as_json(const CheckReport& report, const CheckOptions& options);

}  // namespace bench
