// The bytes of a saved accumulation: docs/distributed.md has their layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/slices/terms.hpp"

namespace bifold::core {

/// The version of the layout, and of the order.
std::uint64_t saved_version() noexcept;

/// What it takes to go on.
struct SavedState {
  Terms terms{};
  std::uint64_t n = 0;
  std::vector<std::byte> values;    ///< Accumulators.
  std::vector<std::byte> elements;  ///< Of the unfinished unit.
};

std::vector<std::byte> encode(const SavedState& state);

/// Throws invalid_argument for bytes that are not whole, or of other terms than those.
SavedState decode(std::span<const std::byte> saved, const Terms& terms);

}  // namespace bifold::core
