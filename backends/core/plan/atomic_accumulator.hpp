// How a device combines values into an accumulator that all work-items share.
#pragma once

#include <bifold/device.hpp>
#include <string_view>

#include "core/kernel/kernel_source.hpp"

namespace bifold::core {

/// The part by which kernels combine values into an atomic accumulator of that type: the device's
/// own atomic where the type and operator have one, else compare and exchange.
std::string_view atomic_part(const Capabilities& has, OperatorKind kind, Type accumulator);

/// Adds what that part wants to be defined.
void define_atomic(const Capabilities& has, KernelSpec& spec);

}  // namespace bifold::core
