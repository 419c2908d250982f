// Part bandwidth_chunks: Bandwidth probes in the CPU's shape: one work-item per group walks
// consecutive vectors.
// Cost: read_vectors reads each 16-byte vector once and writes nothing unless the data is of one
// rare kind; copy_vectors reads and writes each vector once. One launch each, no barrier.
// Source: bifold.
// Provides: bandwidth_chunks

#define WORDS 64  // Read in one step, into as many accumulators.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void read_vectors(
    const __global uint4* input, u64 input_offset, u64 vectors, __global u32* sink) {
  const u64 each = ((vectors + get_num_groups(0) - 1) / get_num_groups(0) + 15) / 16 * 16;
  const u64 begin = min(get_group_id(0) * each, vectors);
  const u64 end = min(begin + each, vectors);
  const __global u32* words = (const __global u32*)(input + input_offset);

  // --- Read the chunk ---
  // Plain loops, as vectors wider than the processor's are compiled with a warning.
  u32 mixed[WORDS];
  for (u32 w = 0; w < WORDS; ++w) mixed[w] = 0;
  u64 p = begin;
  for (; p + WORDS / 4 <= end; p += WORDS / 4) {
    for (u32 w = 0; w < WORDS; ++w) mixed[w] ^= words[p * 4 + w];
  }
  for (; p < end; ++p) {
    for (u32 w = 0; w < 4; ++w) mixed[w] ^= words[p * 4 + w];
  }

  // --- Write only what the compiler cannot prove away ---
  u32 all = 0;
  for (u32 w = 0; w < WORDS; ++w) all |= mixed[w];
  if (all == 0x9e3779b9u) sink[0] = all;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void copy_vectors(
    const __global uint4* input, u64 input_offset, u64 vectors, __global uint4* output,
    u64 output_offset) {
  const u64 each = ((vectors + get_num_groups(0) - 1) / get_num_groups(0) + 15) / 16 * 16;
  const u64 begin = min(get_group_id(0) * each, vectors);
  const u64 end = min(begin + each, vectors);
  input += input_offset;
  output += output_offset;

  // --- Copy the chunk ---
  for (u64 p = begin; p < end; ++p) output[p] = input[p];
}
