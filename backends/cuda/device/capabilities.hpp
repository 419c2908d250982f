// What the driver tells of a device before it is opened.
#pragma once

#include <cuda.h>

#include <bifold/device.hpp>
#include <cstdint>

namespace bifold::backend::cuda {

/// The device of that index. The driver must be initialised.
CUdevice device_of(std::uint32_t index);

/// How many devices there are. The driver must be initialised.
std::uint32_t device_count();

/// 90 for compute capability 9.0.
int architecture_of(CUdevice device);

/// What follows from the architecture alone: whatever decides about kernels' texts, but for the
/// memory of a ring.
Capabilities capabilities_of(int architecture);

/// Whether the architecture's bulk copies are there under a driver of that version.
bool has_bulk_copies(int architecture, int driver_version);

/// Whether its kernels can wait for the commands in front of them.
bool has_overlapped_launches(int architecture, int driver_version);

DeviceInfo read_info(std::uint32_t index);
Capabilities read_capabilities(CUdevice device);

}  // namespace bifold::backend::cuda
