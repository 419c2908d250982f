// Luitjens' two-pass reduction with loads of VEC elements at once, 8 bytes wide or 16.
// The paper assumes aligned input of whole packs; here the elements before the first pack boundary
// and behind the last whole pack are read one by one.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void shuffle_vectorized(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[LANE_GROUPS];
  const u64 id = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Split the input at pack boundaries ---
  const u64 misaligned = ((u64)(size_t)input / sizeof(IN)) % VEC;
  const u64 to_boundary = (VEC - misaligned) % VEC;
  const u64 head = to_boundary < n ? to_boundary : n;
  const u64 packs = (n - head) / VEC;
  const __global IN* body = input + head;

  // --- Accumulate packs with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 p = id; p < packs; p += stride) {
    const IN_PACK pack = load_pack(body + p * VEC);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) sum = COMBINE(sum, LIFT(pack.item[k]));
  }

  // --- Add the elements outside whole packs ---
  const u64 tail = head + packs * VEC;
  for (u64 i = id; i < head; i += stride) sum = COMBINE(sum, LIFT(input[i]));
  for (u64 i = tail + id; i < n; i += stride) sum = COMBINE(sum, LIFT(input[i]));

  // --- Reduce the group ---
  sum = group_lanes(sum, &lane_scratch, totals);

  // --- Write the result of the group ---
  if (get_local_id(0) == 0) write_group_result(sum, init, results + results_offset);
}
