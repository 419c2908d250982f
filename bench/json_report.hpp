// The JSON documents of this tool; docs/benchmark.md describes them.
#pragma once

#include <string>

#include "list.hpp"
#include "result.hpp"

namespace bench {

std::string run_as_json(const Report& report, bool complete = true);
std::string list_as_json(const Inventory& inventory);

}  // namespace bench
