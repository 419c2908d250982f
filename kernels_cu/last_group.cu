// Prelude: the group of a launch that finishes last, which goes on with what all of them left.
// control[1] counts finished groups, and is 0 between launches.

// Where things lie, as indices from where their memory begins: of the groups' results, the control
// words and the one result. One parameter, as ScanPlaces are.
typedef struct {
  u64 nodes;
  u64 control;
  u64 result;
} ReducePlaces;

// Whether all other groups have finished: then what their first work-items wrote before is seen by
// every work-item of this one. One group in all need not ask. Ends with a barrier.
DEVICE bool finishes_last(u64* control, u64 groups, u32* flag) {
  if (threadIdx.x == 0) {
    *flag = 0;
    if (groups > 1) {
      device_fence();
      if (add_word(control + 1, 1) + 1 == groups) {
        device_fence();
        store_word(control + 1, 0);
        *flag = 1;
      }
    }
  }
  __syncthreads();
  return *flag != 0;
}
