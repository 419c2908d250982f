// Internal logging: spdlog inside, a callback outside.
#pragma once

#include <spdlog/logger.h>

namespace bifold::core {

/// The library's logger; off until set_log. Usage: log().debug("... {}", value).
spdlog::logger& log();

}  // namespace bifold::core
