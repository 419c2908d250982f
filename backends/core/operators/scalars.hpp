// Scalars that operators and maps declare.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/scalar.hpp>
#include <cstddef>
#include <span>
#include <vector>

namespace bifold::core {

/// The most that the texts of one call declare, and the most bytes of their values.
inline constexpr std::size_t max_call_scalars = 24;
inline constexpr std::size_t max_scalar_bytes = 512;

/// Those of all texts of a call, each once, in the order of DeviceValues::scalars. Throws
/// invalid_argument where one name has two types, and for too many.
std::vector<ScalarType> scalars_of(const Map& map, const Operator& op, const ResultMap& result_map,
                                   std::span<const OutputShape> more_outputs,
                                   const Map& equality = {});

}  // namespace bifold::core
