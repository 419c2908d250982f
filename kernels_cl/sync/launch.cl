// Part launch_in_order: a kernel that starts when earlier commands have ended.
// Provides: launch

DEVICE void pdl_wait() {}

// Part launch_dependents_in_order: the next kernel is admitted, in a queue that starts kernels one
// after another.
// Provides: launch_dependents

DEVICE void pdl_launch_dependents() {}

// Part prefetch_l2_in_order: memory is brought into the L2 cache, in a queue that starts kernels
// one after another.
// Provides: prefetch_l2

DEVICE void prefetch_l2(const __global void* from, u64 bytes) {}
