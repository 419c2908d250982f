// Part launch_in_order: a kernel that is started when the commands in front of it have ended.
// Provides: launch

DEVICE void await_earlier_work() {}
DEVICE void admit_later_work() {}
DEVICE void expect_memory(const __global void* from, u64 bytes) {}
