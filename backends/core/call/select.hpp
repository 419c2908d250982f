// Selections as only the library's tests and its tool ask for them.
#pragma once

#include <bifold/selection/select.hpp>

#include "core/shape/select_shape.hpp"
#include "core/shape/test_hooks.hpp"
#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// A plan with tuning values of the caller's choice, and what tests force besides. It is not kept
/// by the device.
SelectPlan make_plan(const Device& device, const SelectShape& shape, const Tuning& tuning,
                     const TestHooks& hooks = {});

}  // namespace bifold::core
