// What tests force of kernels, so that what hardly ever happens does.
#pragma once

#include <cstdint>
#include <optional>

namespace bifold::core {

/// Tests set these for one plan. Results are the same for any values. They are no tuning: nothing
/// else names them, and an empty one is what core/plan/part_choices.cpp says.
struct TestHooks {
  using Value = std::optional<std::uint32_t>;

  Value spin_limit{};       ///< Polls of a missing tile before the waiting group reduces it.
  Value epoch_limit{};      ///< Calls until published words are zeroed.
  Value published_every{};  ///< Groups of tiles between two prefixes that are published.
  Value held_bytes{};       ///< Of a CPU's vector registers.

  friend bool operator==(const TestHooks&, const TestHooks&) = default;
};

}  // namespace bifold::core
