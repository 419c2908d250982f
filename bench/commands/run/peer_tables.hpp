// The peers beside bifold: a table for each device and regime.
#pragma once

#include <string>

#include "measure/result.hpp"

namespace bench {

std::string peers_as_text(const Report& report);
std::string peers_as_markdown(const Report& report);

}  // namespace bench
