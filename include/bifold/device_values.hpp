/// @file
/// Values of a call that lie in device memory: read, or left there, when the call runs.
#pragma once

#include <bifold/type.hpp>
#include <cstdint>
#include <optional>

namespace bifold {

/// @addtogroup plans
/// @{

/// Which values of its calls a plan takes from device memory, or leaves there. Its kernels are
/// built for that; the views themselves come with each call's options.
struct DeviceValues {
  std::optional<Type> count{};  ///< n, as an element of this type: u32 or u64.
  bool init = false;            ///< The initial value.
  bool total = false;           ///< A scan's total.
  std::optional<Type> lines{};  ///< The number of lines, as an element of this type: u32 or u64.
  /// Scalars of the texts: bit k for the k-th one, in the order in which the map, the operator, the
  /// result maps and the equality of keys declare them, each name once.
  std::uint32_t scalars = 0;

  /// Whether there is one.
  [[nodiscard]] constexpr bool any() const noexcept {
    return count || init || total || lines || scalars != 0;
  }

  /// Whether they are the same ones, with counts of the same type.
  friend constexpr bool operator==(const DeviceValues&, const DeviceValues&) = default;
};

/// @}

}  // namespace bifold
