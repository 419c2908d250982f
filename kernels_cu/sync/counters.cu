// Part counters: counters of 32 bits that work-items of a group share, and groups of the device.
// Both return what was counted before.
// Provides: counters

DEVICE u32 count_in_group(u32* counter, u32 more) { return atomicAdd(counter, more); }
DEVICE u32 count_on_device(u32* counter, u32 more) { return atomicAdd(counter, more); }
