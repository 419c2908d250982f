// Forced work-group sizes: which a row has, and the tuning that forces one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "workload.hpp"

namespace bifold::test {

/// The group sizes that tests force; 0 stands for the row's default.
inline constexpr std::array<std::uint32_t, 6> group_sizes{0, 1, 2, 32, 64, 256};

/// The row's default tuning for the workload's types on the device under test.
core::Tuning default_tuning_of(const Workload& workload);

/// The default tuning with that group size, or nothing when the row, the device or its lane
/// exchange has no such size. 0 gives the default.
std::optional<core::Tuning> tuning_with_group(const Workload& workload, std::uint32_t group_size);

/// Elements that one work-group of the row takes at a time by default.
std::uint64_t tile_of(const Workload& workload);

}  // namespace bifold::test
