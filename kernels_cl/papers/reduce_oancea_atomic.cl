// The shortest reduction of the course notes: every work-item combines its element into the result
// by an atomic. All of them queue for one word, which is what it is there to show.
// The notes have it for types with an atomic sum of their own; here any operator on at most 8 bytes
// works, by compare and exchange where the device has nothing better.
// Cost: reads each element once, one atomic per element; one launch; no barrier.
// Assumes a commutative operator. Source: Oancea & Henriksen 2023.

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void combine_each(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* cell, u64 cell_offset) {
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);

  // --- One atomic per element ---
  if (i < n) combine_into(cell + cell_offset, LIFT(input[input_offset + i]));
}
