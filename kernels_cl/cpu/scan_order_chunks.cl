// Part scan_order_chunks: The scan in order v1 for CPUs, with the phases of scan_order_passes. Each
// work-item (one per group) takes whole tiles.
// Cost: reads each element twice, writes it once; three launches; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold; the phases are those of reduce-then-scan.
// Provides: scan_order_chunks
// Uses: count, init, total, elements, tile_folds, blocks, order_prefix_local

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void total_chunks(INPUT_PARAMETERS,
                                                                          COUNT_PARAMETERS,
                                                                          __global ACC* partials,
                                                                          u64 partials_offset) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  partials += partials_offset;

  // --- Reduce the tiles of this work-item ---
  for (u64 begin = first; begin < end; begin += TILE) {
    partials[begin / TILE] = total_of_tile(input, begin, n);
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prefix_chunks(__global ACC* partials,
                                                                           u64 partials_offset,
                                                                           COUNT_PARAMETERS,
                                                                           INIT_PARAMETERS) {
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / TILE;
  partials += partials_offset;

  // --- Turn totals into prefixes in place, a supertile at a time ---
  ACC carry = INIT;
  for (u64 begin = 0; begin <= tiles; begin += SUPERTILE_TILES) {
    ACC prefix[SUPERTILE_TILES];
    for (u32 t = 0; t < SUPERTILE_TILES; ++t) {
      prefix[t] = begin + t < tiles ? partials[begin + t] : IDENTITY;
    }
    prefix_totals(prefix, SUPERTILE_TILES);
    // One more than totals: the last full tile's last inclusive value is what lies before the next.
    partials[begin] = carry;
    for (u32 t = 1; t < SUPERTILE_TILES && begin + t <= tiles; ++t) {
      partials[begin + t] = COMBINE(carry, prefix[t - 1]);
    }
    carry = COMBINE(carry, prefix[SUPERTILE_TILES - 1]);
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, const __global ACC* partials, u64 partials_offset,
    __global OUT* output, u64 output_offset TOTAL_PARAMETERS) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  output += output_offset;
  partials += partials_offset;

  // --- Scan the tiles of this work-item from their prefixes on ---
  for (u64 tile = first; tile < end; tile += TILE) {
    const ACC before = partials[tile / TILE];
    const ACC after = tile + TILE <= n ? partials[tile / TILE + 1] : before;
    scan_one_tile(input, tile, n, before, after, output TOTAL_ARGUMENTS);
  }
  STORE_FIRST(first == 0 && end > 0, output);
  LEAVE_TOTAL(n == 0 && get_group_id(0) == 0, partials[0]);
}
