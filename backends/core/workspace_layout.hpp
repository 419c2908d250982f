// How caller-supplied scratch memory is divided.
#pragma once

#include <bifold/device.hpp>
#include <bifold/workspace.hpp>
#include <cstdint>

#include "core/arena.hpp"

namespace bifold::core {

/// Bytes of workspace that hold `size` at any alignment; 0 when nothing is needed.
std::uint64_t workspace_bytes(ScratchSize size) noexcept;

/// The tagged words take the first half of the memory, rounded to 256-byte boundaries, and raw
/// bytes the second, whatever the plan: so a prepared workspace can serve plans of any kind, and
/// raw content never lands on tagged words.
Scratch layout(const Device& device, const View<std::uint8_t>& memory);

}  // namespace bifold::core
