// Part select_passes: Selection in two passes over consecutive tiles: every group counts what is
// kept of its tiles, then adds up the counts of the groups before it, and stores its own. No group
// waits for another, so it runs on every device; but not in place.
// Cost: reads each element twice, writes what is kept once; two launches; 5 barriers per tile.
// Assumes nothing, and the number of groups is not limited.
// Source: bifold; after Oancea & Henriksen 2023, section on scan.
// Provides: select_passes
// Uses: count, total, select_places, elements, beside, lanes, lane_folds, select_tile, blocks,
//   group_lanes

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void count_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global ACC* partials, u64 partials_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  const u64 n = COUNT;
  const Elements input = INPUT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));

  // --- Count what is kept of the tiles of this group ---
  ACC count = IDENTITY;
  for (u64 i = first + get_local_id(0); i < end; i += GROUP_SIZE) {
    count = COMBINE(count, lift_element(load_element(input, i), i));
  }
  count = group_lanes(count, &lane_scratch, totals);
  if (get_local_id(0) == 0) partials[partials_offset + get_group_id(0)] = count;
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void store_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, const __global ACC* partials, u64 partials_offset,
    __global OUT* output, SelectPlaces places TOTAL_PARAMETERS BESIDE_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  __local u32 counts[WARPS];
  __local OUT gathered[TILE];
  __local Beside gathered_beside[BESIDE_SLOTS];
  __local ACC prefix;
  const u64 n = COUNT;
  const Elements input = INPUT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  output += places.output;

  // --- Add up the counts of the groups before this one ---
  ACC before = IDENTITY;
  for (u64 g = get_local_id(0); g < get_group_id(0); g += GROUP_SIZE) {
    before = COMBINE(before, partials[partials_offset + g]);
  }
  before = group_lanes(before, &lane_scratch, totals);
  if (get_local_id(0) == 0) prefix = before;
  barrier(CLK_LOCAL_MEM_FENCE);
  u64 at = prefix;
  LEAVE_KEPT(get_local_id(0) == 0 && get_group_id(0) == get_num_groups(0) - 1,
             COMBINE(prefix, partials[partials_offset + get_group_id(0)]), n, places.room);

  // --- Add up the counts of all groups, if a place depends on them ---
  ACC own = IDENTITY;
  if (NEEDS_ALL) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u64 g = get_local_id(0); g < get_num_groups(0); g += GROUP_SIZE) {
      own = COMBINE(own, partials[partials_offset + g]);
    }
    own = group_lanes(own, &lane_scratch, totals);
    if (get_local_id(0) == 0) prefix = own;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const u64 all = prefix;

  // --- Gather and store what is kept of the tiles of this group ---
  for (u64 begin = first; begin < end; begin += TILE) {
    Element item[PER_ITEM];
    u32 rank[PER_ITEM];
    const u32 flags = load_tile(input, begin, n, item);
    const u32 count = rank_tile(flags, rank, &lane_scratch, counts);
    const u32 size = tile_size(begin, n);
    gather_tile(item, flags, rank, begin, count, size, gathered, gathered_beside);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_tile(gathered, count, size, output, begin, n, at, all, places.room);
    if (STORES_BESIDE) {
      store_beside(gathered_beside, count, BESIDE_OUTPUT, at, BESIDE_ROOM(places.room));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    at += count;
  }
}
