// Elements that a rank gets from those in front of it, so that its first unit is whole.
#pragma once

#include <cstdint>

#include "core/group/group_call.hpp"
#include "core/slices/elements.hpp"
#include "core/slices/split.hpp"

namespace bifold::core {

/// Adds what a rank's staged unit takes.
void add_front(MemoryNeeds& needs, const Split& split, std::uint32_t rank, const Elements& slice);

/// Exchanges what the split's borders say, and copies the rest. Leaves in the call's records what
/// each local rank has staged.
void exchange_fronts(GroupCall& call, const Split& split);

}  // namespace bifold::core
