// Prelude: the group that finishes last of those of a launch, or of a set of them, which goes on
// with what all of them left. Counters are 0 between launches: control[1], and those of sets before
// control[0].

// Where things lie, as indices from where their memory begins: of the groups' results, the control
// words and the one result; and how many groups a set has, a power of two, or all of them. One
// parameter, as ScanPlaces are.
typedef struct {
  u64 nodes;
  u64 control;
  u64 result;
  u64 per_set;
} ReducePlaces;

// Whether all others of `groups` groups have been here: then what their first work-items wrote
// before is seen by every work-item of this one. One group in all need not ask. Ends with a
// barrier.
DEVICE bool finishes_last(__global u64* counter, u64 groups, __local u32* flag) {
  if (get_local_id(0) == 0) {
    *flag = 0;
    if (groups > 1) {
      device_fence();
      if (add_word(counter, 1) + 1 == groups) {
        device_fence();
        store_word(counter, 0);
        *flag = 1;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *flag != 0;
}
