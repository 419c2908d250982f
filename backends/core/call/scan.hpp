// Scans as only the library's tests and its tool ask for them.
#pragma once

#include <bifold/scan.hpp>

#include "core/shape/test_hooks.hpp"
#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// A plan with tuning values of the caller's choice, and what tests force besides. It is not kept
/// by the device.
ScanPlan make_plan(const Device& device, const ScanShape& shape, const Tuning& tuning,
                   const TestHooks& hooks = {});

}  // namespace bifold::core
