// The last two steps of the tutorial: `hierarchical` reduces a segment per group in local memory
// and combines the results by one atomic each, `coarsened` lets each work-item first accumulate
// more elements on its own, so that there are fewer groups. The listings read past the end of the
// input and start from a cell that nobody has made ready; here what lies behind the end counts as
// the identity, and a fill in the same stream goes before.
// Cost: reads each element once, one atomic per group; one launch; log2(GROUP_SIZE) + 1 barriers.
// Assumes a commutative operator and a power-of-two group.
// Source: Dillhoff 2024, after Hwu, Kirk & El Hajj, chapter 10.

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 2  // Elements per work-item, or per COARSE_FACTOR.
#endif
#ifndef COARSE_FACTOR
#define COARSE_FACTOR 1  // Pairs of elements per work-item of `coarsened`.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void hierarchical(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* cell, u64 cell_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM + get_local_id(0);
  input += input_offset;

  // --- Hierarchical: load two elements per work-item and combine them at once ---
  ACC sum = element_or_identity(input, i, n);
  sum = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));

  // --- Hierarchical: reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Hierarchical: one atomic per group ---
  if (get_local_id(0) == 0) combine_into(cell + cell_offset, sum);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void coarsened(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* cell, u64 cell_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM * COARSE_FACTOR + get_local_id(0);
  input += input_offset;

  // --- Coarsened: accumulate the work-item's elements of the segment ---
  ACC sum = element_or_identity(input, i, n);
  for (u32 step = 1; step < PER_ITEM * COARSE_FACTOR; ++step) {
    sum = COMBINE(sum, element_or_identity(input, i + (u64)step * GROUP_SIZE, n));
  }

  // --- Coarsened: reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Coarsened: one atomic per group ---
  if (get_local_id(0) == 0) combine_into(cell + cell_offset, sum);
}
