// Part type_trial_chunks: A trial of an element type. It does everything that kernels do with
// elements, and each step passes them on unchanged. Some compilers lay out, copy or return structs
// wrongly.
// Cost: one work-item, a few turns.
// Source: bifold.
// Provides: type_trial_chunks

#define TRIED 8  // Elements of a private array; `count` of them are given.

// A step of a prefix, from array to array.
DEVICE void try_step(const ACC* from, ACC* to, u32 distance) {
  for (u32 i = 0; i < TRIED; ++i) to[i] = COMBINE((from - distance)[i], from[i]);
  for (u32 i = 0; i < distance; ++i) to[i] = from[i];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void type_trial_chunks(
    const __global IN* input, u64 input_offset, u64 count, ACC given, __global OUT* output,
    u64 output_offset) {
  input += input_offset;
  output += output_offset;

  // --- Backwards into a private array, what is absent behind ---
  ACC one[2 * TRIED];
  ACC other[2 * TRIED];
  for (u32 i = 0; i < TRIED; ++i) one[i] = other[i] = IDENTITY;
  for (u32 i = 0; i < TRIED; ++i) {
    ACC item = IDENTITY;
    if (i < count) item = LIFT(input[count - 1 - i]);
    one[TRIED + i] = item;
  }

  // --- Combined in a register, and step by step in arrays ---
  ACC last = IDENTITY;
  for (u32 i = 0; i < count; ++i) last = COMBINE(last, LIFT(input[i]));
  try_step(one + TRIED, other + TRIED, 1);
  try_step(other + TRIED, one + TRIED, 2);
  try_step(one + TRIED, other + TRIED, 4);

  // --- What was left, what was kept, and what came by value ---
  for (u32 i = 0; i < count; ++i) output[i] = TO_OUT(other[TRIED + i]);
  output[count] = TO_OUT(last);
  output[count + 1] = TO_OUT(given);
}
