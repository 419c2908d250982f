// Part launch_in_order: a kernel that is started when the commands in front of it have ended.
// Provides: launch

DEVICE void await_earlier_work() {}
DEVICE void admit_later_work() {}
DEVICE void expect_memory(const void* from, u64 bytes) {}

// Part launch_overlapped:
// a kernel that waits by itself for the commands in front of it, so that its groups may be
// started while those end (programmatic dependent launch). From sm_90 on.
// Provides: launch

// What was enqueued before has ended, and what it wrote is seen. Comes before any access to global
// memory, but for what is expected.
DEVICE void await_earlier_work() { asm volatile("griddepcontrol.wait;" : : : "memory"); }

// The next kernel's groups may be started where there is room, before this one ends.
DEVICE void admit_later_work() { asm volatile("griddepcontrol.launch_dependents;" : : : "memory"); }

// Brings memory of the device into the cache that all multiprocessors share, before earlier work
// has ended or later: what that writes goes through the same cache. Moves whole units of 16 bytes.
DEVICE void expect_memory(const void* from, u64 bytes) {
  const u64 low = ((u64)from + 15) / 16 * 16;
  const u64 high = ((u64)from + bytes) / 16 * 16;
  if (low < high) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(low), "r"((u32)(high - low)));
  }
}
