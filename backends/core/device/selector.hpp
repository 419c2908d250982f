// Which device a selector names.
#pragma once

#include <bifold/device.hpp>
#include <span>
#include <string>
#include <string_view>

namespace bifold::core {

/// The one device of `all` that `selector` names, as open_device documents; "" takes the best one.
/// `backends` are the known backends. Throws as open_device.
const DeviceInfo& select(std::string_view selector, std::span<const DeviceInfo> all,
                         std::span<const BackendInfo> backends);

}  // namespace bifold::core
