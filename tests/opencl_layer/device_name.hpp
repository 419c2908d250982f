// A device's name that no driver here has.
#pragma once

#include <CL/cl_icd.h>

namespace bifold::test {

/// From now on, while $BIFOLD_LAYER_DEVICE_NAME is set, what `target` leads to says that this is
/// what every device is called.
void name_devices(cl_icd_dispatch& target);

}  // namespace bifold::test
