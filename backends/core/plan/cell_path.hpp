// How a device combines values into a cell that all work-items share.
#pragma once

#include <bifold/device.hpp>

#include "core/kernel/kernel_source.hpp"

namespace bifold::core {

/// Adds the prelude files and defines by which the spec's kernel combines accumulators into a cell:
/// the device's own atomic where the type and operator have one, else compare and exchange.
void add_cell_path(const Device& device, KernelSpec& spec);

}  // namespace bifold::core
