// How a device combines values into a cell that all work-items share.
#pragma once

#include <bifold/device.hpp>
#include <string_view>

#include "core/kernel/kernel_source.hpp"

namespace bifold::core {

/// The part by which kernels combine accumulators of that type into a cell: the device's own atomic
/// where the type and operator have one, else compare and exchange.
std::string_view cell_part(const Capabilities& has, OperatorKind kind, Type accumulator);

/// Adds what that part wants to be defined.
void define_cell(const Capabilities& has, KernelSpec& spec);

}  // namespace bifold::core
