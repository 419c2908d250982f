// Part fold_values: Combines the values that several ranks give, as a list says: the tree over
// their nodes, or a fold from left to right. A step is two numbers, the place of a value and a
// code. Places ascend, but for the first one. A code's lower half is 2 times how often the two
// topmost values of a stack become one behind the value, plus 1 if the top is then a result. Its
// upper half is how many values from there on are only folded into the top. Results lie from the
// first one's place on. One group does all of it. Cost: reads each value once; a combination for
// each merge, one after the other. Source: bifold.
// Provides: fold_values

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    fold_values(OUT* values, const u32* steps, u64 count, OUT* results, u64 first) {
  __shared__ ACC staged[FOLD_CHUNK];
  __shared__ u32 codes[FOLD_CHUNK];
  const u32 id = threadIdx.x;
  ACC top;
  u64 below = 0;
  u64 found = 0;
  for (u64 begin = 0; begin < count; begin += FOLD_CHUNK) {
    const u32 here = count - begin < FOLD_CHUNK ? (u32)(count - begin) : FOLD_CHUNK;

    // --- All work-items load what comes next ---
    for (u32 i = id; i < here; i += GROUP_SIZE) {
      staged[i] = LIFT(values[steps[2 * (begin + i)]]);
      codes[i] = steps[2 * (begin + i) + 1];
    }
    __syncthreads();

    // --- One of them folds: a run from the left, or a step of the stack ---
    // The top is in registers; what lies below is stored over values that were read.
    if (id == 0) {
      if (begin == 0) top = staged[0];
      u32 i = 0;
      while (i < here) {
        const u32 run = codes[i] >> 16;
        const u32 code = codes[i] & 0xffff;
        if (run >= FOLD_TURN && here - i >= FOLD_TURN) {
#pragma unroll
          for (u32 k = 0; k < FOLD_TURN; ++k) top = COMBINE(top, staged[i + k]);
          i += FOLD_TURN;
        } else {
          if (begin + i > 0 && code < 2) {
            values[below] = TO_OUT(top);
            ++below;
            top = staged[i];
          }
          if (code >= 2) top = COMBINE(top, staged[i]);
          for (u32 merge = 2; merge <= code / 2; ++merge) {
            --below;
            top = COMBINE(LIFT(values[below]), top);
          }
          if (code % 2 != 0) {
            results[first + found] = TO_OUT(top);
            ++found;
          }
          ++i;
        }
      }
    }
    __syncthreads();
  }
}
