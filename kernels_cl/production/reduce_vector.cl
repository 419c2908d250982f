// Part reduce_vector: The GPU's production reduction: Catanzaro's two stages with 16-byte loads,
// several of them in flight per work-item, and a register exchange instead of most of the
// local-memory tree. Elements before the first 16-byte boundary and behind the last whole vector
// are read one by one.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: bifold; the shape follows Harris 2007 (kernel 7) and Luitjens 2014.
// Provides: reduce_vector
// Uses: count, lanes, lane_folds, vectors_in, lane_index, warp_index

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef UNROLL
#define UNROLL 4  // Vectors a work-item loads before it uses the first.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_vector(
    const __global IN* input, u64 input_offset, COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  const u64 n = COUNT;
  const u64 id = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Split the input at vector boundaries ---
  const u64 misaligned = ((u64)(size_t)input / sizeof(IN)) % VEC;
  const u64 to_boundary = (VEC - misaligned) % VEC;
  const u64 head = to_boundary < n ? to_boundary : n;
  const u64 vectors = (n - head) / VEC;
  const __global IN* body = input + head;

  // --- Accumulate vectors, UNROLL of them in flight ---
  ACC sums[VEC];
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) sums[k] = IDENTITY;
  u64 p = id;
  for (; p + (UNROLL - 1) * stride < vectors; p += UNROLL * stride) {
    InVector vector[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) vector[f] = load_vector(body + (p + f * stride) * VEC);
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) sums[k] = COMBINE(sums[k], LIFT(vector[f].item[k]));
    }
  }
  for (; p < vectors; p += stride) {
    const InVector vector = load_vector(body + p * VEC);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) sums[k] = COMBINE(sums[k], LIFT(vector.item[k]));
  }

  // --- Add the elements outside whole vectors ---
  const u64 tail = head + vectors * VEC;
  for (u64 i = id; i < head; i += stride) sums[0] = COMBINE(sums[0], LIFT(input[i]));
  for (u64 i = tail + id; i < n; i += stride) sums[0] = COMBINE(sums[0], LIFT(input[i]));

  // --- Reduce the group ---
  ACC sum = sums[0];
#pragma unroll
  for (u32 k = 1; k < VEC; ++k) sum = COMBINE(sum, sums[k]);
  sum = lane_reduce(sum, &lane_scratch);
  if (lane_index() == 0) totals[warp_index()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Write the partial result of the group ---
  if (get_local_id(0) == 0) {
    for (u32 g = 1; g < WARPS; ++g) sum = COMBINE(sum, totals[g]);
    partials[partials_offset + get_group_id(0)] = sum;
  }
}
