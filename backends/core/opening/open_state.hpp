// A device that a backend has opened, with what planning knows of it.
#pragma once

#include <bifold/device.hpp>
#include <memory>

#include "core/device/state.hpp"

namespace bifold::core {

/// Reads what `bifold-bench check` and `tune` left for such a device. Throws invalid_argument for
/// half an allocator.
std::shared_ptr<detail::DeviceState> open_state(DeviceInfo info,
                                                std::shared_ptr<backend::Device> device,
                                                const DeviceOptions& options);

}  // namespace bifold::core
