// What `bifold-bench check` found, for people and as JSON.
#pragma once

#include <string>

#include "commands/check/check.hpp"
#include "commands/check/result.hpp"

namespace bench {

std::string check_as_text(const CheckReport& report);
std::string check_as_json(const CheckReport& report, const CheckOptions& options);

}  // namespace bench
