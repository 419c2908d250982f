// What production resolves to on a device.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/shape/plan_shape.hpp"

namespace bench {

/// A variant that production takes, and from how many bytes of elements on.
struct ProductionVariant {
  const bifold::gallery::Variant* variant;
  std::uint64_t from_bytes = 0;
};

/// The variants of one shape, that for the largest inputs first; none where no variant runs.
std::vector<ProductionVariant> production_variants(const bifold::Device& device,
                                                   bifold::Algorithm algorithm,
                                                   const bifold::core::PlanShape& shape);

/// An operator that does not commute, to be asked for and never run.
bifold::Operator ordered_operator(bifold::Type accumulator);

/// Calls that production answers with the same variants.
struct ProductionLine {
  bifold::Algorithm algorithm;
  std::string variants;  ///< "order_v1_ring", "order_v1_ring from 4 MiB, order_v1_lookback below".
  std::string calls;     ///< "i32 u32 f32", "in any order: i32".
};

/// What production resolves to for each built-in type, in either order and with operators that do
/// not commute.
std::vector<ProductionLine> production_lines(const bifold::Device& device);

}  // namespace bench
