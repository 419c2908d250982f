// Devices of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/device.hpp>

namespace bifold::c_api {

DeviceOptions options_from(const bifold_device_options* options);

}  // namespace bifold::c_api
