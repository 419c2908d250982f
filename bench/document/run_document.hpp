// The JSON document of `run`; docs/benchmark.md describes it.
#pragma once

#include <string>

#include "measure/result.hpp"

namespace bench {

std::string run_as_json(const Report& report);

}  // namespace bench
