// How caller-supplied scratch memory is divided.
#pragma once

#include <bifold/device.hpp>
#include <bifold/workspace.hpp>
#include <cstdint>

#include "core/device/scratch.hpp"

namespace bifold::core {

/// Bytes of workspace that hold `size` at any alignment; 0 when nothing is needed.
std::uint64_t workspace_bytes(ScratchSize size) noexcept;

/// The memory in halves, from the first boundary of a granule on.
Scratch layout(const Device& device, const View<std::uint8_t>& memory);

}  // namespace bifold::core
