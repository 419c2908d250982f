// Bandwidth probes in the CPU's shape: one work-item per group walks consecutive packs.
// Cost: read_packs reads each 16-byte pack once and writes nothing unless the data is of one rare
// kind; copy_packs reads and writes each pack once. One launch each, no barrier.
// Source: bifold.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void read_packs(const __global uint4* input,
                                                                        u64 input_offset, u64 packs,
                                                                        __global u32* sink) {
  const u64 each = ((packs + get_num_groups(0) - 1) / get_num_groups(0) + 15) / 16 * 16;
  const u64 begin = min(get_group_id(0) * each, packs);
  const u64 end = min(begin + each, packs);
  const __global u32* words = (const __global u32*)(input + input_offset);

  // --- Read the chunk ---
  uint16 mixed[4] = {0, 0, 0, 0};
  u64 p = begin;
  for (; p + 16 <= end; p += 16) {
#pragma unroll
    for (u32 f = 0; f < 4; ++f) mixed[f] ^= vload16(0, words + (p + 4 * f) * 4);
  }
  for (; p < end; ++p) mixed[0].s0123 ^= vload4(p, words);

  // --- Write only what the compiler cannot prove away ---
  const uint16 all = mixed[0] | mixed[1] | mixed[2] | mixed[3];
  const uint8 half_width = all.lo | all.hi;
  const uint4 quarter = half_width.lo | half_width.hi;
  if ((quarter.x | quarter.y | quarter.z | quarter.w) == 0x9e3779b9u) sink[0] = quarter.x;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void copy_packs(const __global uint4* input,
                                                                        u64 input_offset, u64 packs,
                                                                        __global uint4* output,
                                                                        u64 output_offset) {
  const u64 each = ((packs + get_num_groups(0) - 1) / get_num_groups(0) + 15) / 16 * 16;
  const u64 begin = min(get_group_id(0) * each, packs);
  const u64 end = min(begin + each, packs);
  input += input_offset;
  output += output_offset;

  // --- Copy the chunk ---
  for (u64 p = begin; p < end; ++p) output[p] = input[p];
}
