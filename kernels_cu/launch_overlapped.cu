// Prelude: a kernel that waits by itself for the commands in front of it, so that its groups may be
// started while those end (programmatic dependent launch). From sm_90 on.

// What was enqueued before has ended, and what it wrote is seen. Comes before any access to global
// memory.
DEVICE void await_earlier_work() { asm volatile("griddepcontrol.wait;" : : : "memory"); }

// The next kernel's groups may be started where there is room, before this one ends.
DEVICE void admit_later_work() { asm volatile("griddepcontrol.launch_dependents;" : : : "memory"); }
