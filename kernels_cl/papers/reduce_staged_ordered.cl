// Part reduce_staged_ordered: A reduction for operators that do not commute: each group walks a
// consecutive range of its own in tiles, which it stages through local memory; so the loads
// coalesce, although each work-item then reduces PER_ITEM consecutive elements. The map is applied
// to staged elements, not stored. The range of a group, rather than a grid of tiles, keeps the
// partial results few; ranges behind the end are empty and leave the identity. An odd stride,
// padded where PER_ITEM is even, keeps the work-items of a warp on different banks.
// Cost: reads each element once, writes one accumulator per group; two launches; three barriers per
// tile of GROUP_SIZE * PER_ITEM elements, which has to fit local memory.
// Source: Oancea & Henriksen 2023, on the maximum segment sum.
// Provides: reduce_staged_ordered
// Uses: lanes, levels, group_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 7  // The notes' CHUNK: consecutive elements per work-item and tile.
#endif

#define TILE (GROUP_SIZE * PER_ITEM)
#define STRIDE (PER_ITEM + 1 - PER_ITEM % 2)

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_staged_ordered(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  __local IN staged[GROUP_SIZE * STRIDE];
  const u32 id = (u32)get_local_id(0);
  const u64 tiles = n / TILE + (n % TILE != 0);
  const u64 tiles_each = tiles / get_num_groups(0) + (tiles % get_num_groups(0) != 0);
  const u64 begin = get_group_id(0) * tiles_each * TILE;
  const u64 end = begin + tiles_each * TILE < n ? begin + tiles_each * TILE : n;
  input += input_offset;

  ACC total = IDENTITY;
  for (u64 tile = begin; tile < end; tile += TILE) {
    const u32 count = end - tile < TILE ? (u32)(end - tile) : TILE;

    // --- Stage a tile ---
    for (u32 s = id; s < count; s += GROUP_SIZE) {
      staged[s / PER_ITEM * STRIDE + s % PER_ITEM] = input[tile + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // --- Reduce consecutive elements ---
    ACC sum = IDENTITY;
#pragma unroll
    for (u32 k = 0; k < PER_ITEM; ++k) {
      if (id * PER_ITEM + k < count) sum = COMBINE(sum, LIFT(staged[id * STRIDE + k]));
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // --- Reduce the group in index order ---
    total = COMBINE(total, group_lanes(sum, &lane_scratch, totals));
  }

  // --- Write the result of the group ---
  if (id == 0) write_group_result(total, init, results + results_offset);
}
