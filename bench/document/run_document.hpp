// The JSON document of `run`; docs/benchmark.md describes it.
#pragma once

#include <string>

#include "measure/result.hpp"

namespace bench {

/// Not complete: what an interrupted run has measured.
std::string run_as_json(const Report& report, bool complete = true);

}  // namespace bench
