// The JSON document of `list`; docs/benchmark.md describes it.
#pragma once

#include <string>

#include "commands/list/list.hpp"

namespace bench {

std::string list_as_json(const Inventory& inventory);

}  // namespace bench
