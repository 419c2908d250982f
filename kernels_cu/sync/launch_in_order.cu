// Prelude: a kernel that is started when the commands in front of it have ended.

DEVICE void await_earlier_work() {}
DEVICE void admit_later_work() {}
DEVICE void expect_memory(const void* from, u64 bytes) {}
