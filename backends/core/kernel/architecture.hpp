// Architectures as tuning tells them apart, by how much a compute unit holds at once, and as PTX
// does.
#pragma once

#include <bifold/device.hpp>
#include <cstdint>
#include <string_view>

namespace bifold::core {

/// A class of devices that share built-in tuning values.
enum class Architecture : std::uint8_t {
  unknown,  ///< Whatever is not named below.
  cpu,
  sm_75,
  sm_80,
  sm_86,  ///< And sm_87, sm_89.
  sm_90,
  sm_100,
  sm_120,
  gfx9,
  gfx10,
  gfx11,
  gfx12,
  intel,
};

/// The class of a device of that kind, whose Capabilities call its architecture `name`. One that is
/// newer than this table counts as the newest of its vendor that is named.
Architecture architecture_class(DeviceKind kind, std::string_view name) noexcept;

/// The architecture that kernels may be written in PTX for, 90 of "sm_90"; 0 on devices that take
/// none.
std::uint32_t ptx_architecture(const Capabilities& has) noexcept;

/// Whether 32 work-items exchange registers: what order v1 shares out to 32 work-items on every
/// device goes through local memory elsewhere.
bool has_lanes_of_32(const Capabilities& has) noexcept;

}  // namespace bifold::core
