// The JSON documents of this tool; docs/benchmark.md describes them.
#pragma once

#include <string>

#include "list.hpp"
#include "result.hpp"

namespace bench {

/// Changes when a field changes its meaning or goes; new fields do not change it.
inline constexpr int json_schema_version = 1;

std::string run_as_json(const Report& report);
std::string list_as_json(const Inventory& inventory);

}  // namespace bench
