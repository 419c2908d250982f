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

DEVICE void prefetch_l2(const void* from, u64 bytes) {}

// Part launch_overlapped: a kernel that itself waits for earlier commands, so that its groups may
// start while those end (programmatic dependent launch). From sm_90 on.
// Provides: launch

// Waits until earlier kernels have ended and their writes are visible. Comes before any access to
// global memory, except a prefetch.
DEVICE void pdl_wait() { asm volatile("griddepcontrol.wait;" : : : "memory"); }

// Part launch_dependents_overlapped: the next kernel is admitted, by programmatic dependent launch.
// Provides: launch_dependents

// Allows the next kernel's groups to start before this kernel ends.
DEVICE void pdl_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

// Part prefetch_l2_overlapped: memory is brought into the L2 cache, by programmatic dependent
// launch.
// Provides: prefetch_l2
// Uses: bulk_fetches

// Prefetches device memory into the L2, also before earlier kernels have ended: their writes go
// through the same cache.
DEVICE void prefetch_l2(const void* from, u64 bytes) { fetch_l2(from, bytes); }
