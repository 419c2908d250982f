// Part reduce_persistent: Jradi's reduction: Catanzaro's, with the global-memory loop unrolled
// UNROLL times and every branch on the data's end replaced by algebra, in persistent work-items.
// The paper multiplies the value by (i < n), which reads past the end and turns NaN and infinity
// into NaN; here the index is multiplied and the value selected by a bit mask, still without a
// branch. The paper drops the barriers of the local tree, which is right only inside one lock-step
// wave; here they stay, and idle work-items keep to a spare half of the scratch.
// Cost: reads each element once, writes one accumulator per group; two launches; log2(GROUP_SIZE) +
// 1 barriers.
// Assumes a commutative operator and a power-of-two group.
// Source: Jradi 2017, section 3, listings 4 to 6.
// Provides: reduce_persistent
// Uses: words, count

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef UNROLL
#define UNROLL 8  // The paper's F: elements per work-item and step.
#endif
#ifndef COALESCED
#define COALESCED 0  // 0: those of a work-item are neighbours; 1: a launch's width apart.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_persistent(
    const __global IN* input, u64 input_offset, COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset) {
  __local ACC scratch[2 * GROUP_SIZE];
  const u64 n = COUNT;
  const u32 id = (u32)get_local_id(0);
  const u64 width = (u64)get_num_groups(0) * GROUP_SIZE;
  const u64 item = (u64)get_group_id(0) * GROUP_SIZE + id;
  input += input_offset;

  // --- Accumulate UNROLL elements per step, without branches ---
  ACC sum = IDENTITY;
  const u64 apart = COALESCED ? width : 1;
  for (u64 base = COALESCED ? item : item * UNROLL; base < n; base += width * UNROLL) {
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      const u64 i = base + f * apart;
      const u64 inside = i < n;
      const AccWords none = words_of(IDENTITY);
      AccWords x = words_of(LIFT(input[inside * i]));
      const u32 keep = 0 - (u32)inside;
#pragma unroll
      for (u32 w = 0; w < ACC_WORDS; ++w) {
        x.word[w] = (x.word[w] & keep) | (none.word[w] & ~keep);
      }
      sum = COMBINE(sum, x.value);
    }
  }

  // --- Reduce the group in local memory, without branches ---
  scratch[id] = sum;
  scratch[id + GROUP_SIZE] = IDENTITY;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    const u32 active = id < offset;
    const u32 slot = id + (1 - active) * GROUP_SIZE;
    scratch[slot] = COMBINE(scratch[slot], scratch[slot + active * offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- Write the partial result of the group ---
  if (id == 0) partials[partials_offset + get_group_id(0)] = scratch[0];
}
