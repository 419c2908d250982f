// Work-groups that stay behind, for tests of what they tell one another.
#pragma once

#include <CL/cl_icd.h>

namespace bifold::test {

/// From now on, where $BIFOLD_LAYER_DELAYS is set, work-items wait for a random time before they
/// publish a word, and before and after they draw a number, in what `target` compiles: one in eight
/// for up to 255 turns of a loop, of those one in sixteen for up to 16383. Programs come as texts
/// alone: what was compiled before does not wait.
void delay_groups(cl_icd_dispatch& target);

}  // namespace bifold::test
