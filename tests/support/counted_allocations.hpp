// How often a thread asks for memory by operator new, in programs that counted_allocations.cpp is
// compiled into.
#pragma once

#include <cstdint>

namespace bifold::test {

/// Whether they are counted: a sanitizer has operators of its own, and then none are.
bool counts_allocations() noexcept;

/// This thread's allocations so far.
std::int64_t allocations() noexcept;

/// From now on, those are not counted that are made while `within` says so: a stand-in's own.
void leave_out_allocations(bool (*within)()) noexcept;

/// The `nth` of this thread's counted allocations from now on fails; with 0, none does. Gives back
/// whether one has failed since the last time of asking.
bool fail_allocation(int nth) noexcept;

}  // namespace bifold::test
