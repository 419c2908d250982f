// Part bandwidth:
// Bandwidth probes: what a plain kernel reads, or copies, per second on this device. The limits
// that results are compared with.
// Cost: read_packs reads each 16-byte pack once and writes nothing unless the data is of one rare
// kind; copy_packs reads and writes each pack once. One launch each, no barrier.
// Source: bifold.
// Provides: bandwidth

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef UNROLL
#define UNROLL 4  // Packs a work-item loads before it uses the first.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    read_packs(const uint4* input, u64 input_offset, u64 packs, u32* sink) {
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  u32 mixed = 0;
  input += input_offset;

  // --- Read packs, UNROLL of them in flight ---
  u64 p = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x;
  for (; p + (UNROLL - 1) * stride < packs; p += UNROLL * stride) {
    uint4 pack[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) pack[f] = input[p + f * stride];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) mixed |= pack[f].x ^ pack[f].y ^ pack[f].z ^ pack[f].w;
  }
  for (; p < packs; p += stride) mixed |= input[p].x ^ input[p].y ^ input[p].z ^ input[p].w;

  // --- Write only what the compiler cannot prove away ---
  if (mixed == 0x9e3779b9u) sink[0] = mixed;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    copy_packs(const uint4* input, u64 input_offset, u64 packs, uint4* output, u64 output_offset) {
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;
  output += output_offset;

  // --- Copy packs, UNROLL of them in flight ---
  u64 p = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x;
  for (; p + (UNROLL - 1) * stride < packs; p += UNROLL * stride) {
    uint4 pack[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) pack[f] = input[p + f * stride];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) output[p + f * stride] = pack[f];
  }
  for (; p < packs; p += stride) output[p] = input[p];
}
