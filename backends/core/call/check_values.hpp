// Values in device memory and workspaces of calls: what is refused of them before anything runs.
#pragma once

#include <bifold/device.hpp>
#include <bifold/workspace.hpp>

#include "core/call/placement.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/scratch.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

/// Checks those that options name: what kernels read of them may not be what they write.
void check_values(const detail::Plan& plan, const Device& device, const Placement& call,
                  const CallOptions& options);

/// Checks where the segments of a call lie.
void check_segments(const Device& device, const Placement& call, const Segments& segments);

/// Checks where the keys of a call lie, for a plan of such.
void check_keys(const Device& device, const Placement& call, const KeyShape& shape,
                const Keys& keys);

/// Checks a workspace for a call that needs so much.
void check_workspace(const Workspace& workspace, const Device& device, ScratchSize size,
                     const Placement& call, const CallOptions& options);

}  // namespace bifold::core
