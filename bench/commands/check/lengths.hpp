// Lengths at which a row's control flow changes, as a table.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What is beyond a border that is far: one call each, as they take long.
struct FarBorder {
  std::string what;  ///< In words: "loops of 2^16 turns".
  std::uint64_t n;   ///< Elements beyond it.
  bool few_groups;   ///< By a plan of that few groups that each takes so many.
};

/// The groups of such a plan.
inline constexpr std::uint32_t few_groups = 2;

/// Every regime of short inputs: each length up to 40, every 7th up to 600, and both sides of where
/// packs, leaves, tiles and the span of a group end. Where not `many`, some of these.
std::vector<std::uint64_t> near_lengths(const bifold::Device& device,
                                        const bifold::gallery::Variant& row, bifold::Type type,
                                        bool many);

/// The borders that lie within `bytes` of input: a group of tiles, each threshold at which
/// production's plans change or kernels store otherwise, and loops of 2^16 and 2^20 turns.
std::vector<FarBorder> far_borders(const bifold::Device& device,
                                   const bifold::gallery::Variant& row, bifold::Type type,
                                   std::uint64_t bytes);

}  // namespace bench
