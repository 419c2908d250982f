// Part bandwidth: Bandwidth probes: what a plain kernel reads, or copies, per second on this
// device. Results are compared with these limits.
// Cost: read_vectors reads each 16-byte vector once and writes nothing unless the data is of one
// rare kind; copy_vectors reads and writes each vector once. One launch each, no barrier.
// Source: bifold.
// Provides: bandwidth

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef UNROLL
#define UNROLL 4  // Vectors a work-item loads before it uses the first.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void read_vectors(
    const __global uint4* input, u64 input_offset, u64 vectors, __global u32* sink) {
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  u32 mixed = 0;
  input += input_offset;

  // --- Read vectors, UNROLL of them in flight ---
  u64 p = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);
  for (; p + (UNROLL - 1) * stride < vectors; p += UNROLL * stride) {
    uint4 vector[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) vector[f] = input[p + f * stride];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) mixed |= vector[f].x ^ vector[f].y ^ vector[f].z ^ vector[f].w;
  }
  for (; p < vectors; p += stride) mixed |= input[p].x ^ input[p].y ^ input[p].z ^ input[p].w;

  // --- Write only what the compiler cannot prove away ---
  if (mixed == 0x9e3779b9u) sink[0] = mixed;
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void copy_vectors(
    const __global uint4* input, u64 input_offset, u64 vectors, __global uint4* output,
    u64 output_offset) {
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;
  output += output_offset;

  // --- Copy vectors, UNROLL of them in flight ---
  u64 p = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);
  for (; p + (UNROLL - 1) * stride < vectors; p += UNROLL * stride) {
    uint4 vector[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) vector[f] = input[p + f * stride];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) output[p + f * stride] = vector[f];
  }
  for (; p < vectors; p += stride) output[p] = input[p];
}
