// Part order_tile_chunks: tiles of a scan in order v1 by one work-item, for CPU devices, warp tile
// by warp tile.
// Provides: tile_folds
// Uses: warp_tile_folds, acc_access

// One level of the binary tree that is a row's last prefix.
DEVICE void combine_pairs(const ACC* from, ACC* to, u32 count) {
  for (u32 i = 0; i < count; ++i)
    PUT_ACC(to[i], COMBINE(ACC_AT(from[2 * i]), ACC_AT(from[2 * i + 1])));
}

// The total of a warp tile, of the totals of its runs.
DEVICE ACC total_of_runs(const ACC run[WARP_TILE_RUNS]) {
  ACC one[WARP_TILE_RUNS / 4];
  ACC other[WARP_TILE_RUNS / 2];
  combine_pairs(run, other, WARP_TILE_RUNS / 2);
  combine_pairs(other, one, WARP_TILE_RUNS / 4);
  combine_pairs(one, other, WARP_TILE_RUNS / 8);
  combine_pairs(other, one, WARP_TILE_RUNS / 16);
  combine_pairs(one, other, WARP_TILE_RUNS / 32);
  ACC warp_tile = other[0];
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) warp_tile = COMBINE(warp_tile, other[r]);
  return warp_tile;
}

// The total of the warp tile from `begin` on, which has elements.
DEVICE ACC total_of_warp_tile(Elements input, u64 begin, u64 n) {
  ACC sum[RUN][WARP_TILE_RUNS];
  fold_runs(input, begin, n, sum, sum[RUN - 1]);
  return total_of_runs(sum[RUN - 1]);
}

// The total of the tile from `begin` on, which has elements.
DEVICE ACC total_of_tile(Elements input, u64 begin, u64 n) {
  ACC tile = IDENTITY;
  for (u32 s = 0; s < WARP_TILES && begin + s * WARP_TILE < n; ++s) {
    const ACC warp_tile = total_of_warp_tile(input, begin + s * WARP_TILE, n);
    tile = s == 0 ? warp_tile : COMBINE(tile, warp_tile);
  }
  return tile;
}

// Scans the tile from `tile` on, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_one_tile(Elements input, u64 tile, u64 n, ACC before, ACC after,
                          __global OUT* output TOTAL_PARAMETERS) {
  ACC warp_totals = IDENTITY;
  ACC base = before;
  for (u32 s = 0; s < WARP_TILES && tile + s * WARP_TILE < n; ++s) {
    const u64 begin = tile + s * WARP_TILE;
    WarpTile warp_tile;
    const ACC total = fold_warp_tile(input, begin, n, &warp_tile);
    warp_totals = s == 0 ? total : COMBINE(warp_totals, total);
    const ACC next = s == WARP_TILES - 1 ? after : COMBINE(before, warp_totals);
    scan_warp_tile(&warp_tile, input, begin, n, base, next, output TOTAL_ARGUMENTS);
    base = next;
  }
}

// Part tile_again_chunks: tiles of a single-pass scan, for CPUs, whose elements are loaded a second
// time for their scan.
// Provides: tile_scan
// Uses: tile_folds

typedef char KeptTile;  // Nothing.

// The total of the tile from `begin` on; that of one that is not full is what nobody asks for.
DEVICE ACC fold_tile(Elements input, u64 begin, u64 n, KeptTile* kept) {
  return begin + TILE <= n ? total_of_tile(input, begin, n) : IDENTITY;
}

// Scans that tile, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_tile(const KeptTile* kept, Elements input, u64 begin, u64 n, ACC before, ACC after,
                      __global OUT* output TOTAL_PARAMETERS) {
  scan_one_tile(input, begin, n, before, after, output TOTAL_ARGUMENTS);
}

// Part tile_kept_chunks: tiles of a single-pass scan in order v1, for CPUs, whose folds are kept
// for their scan: elements are loaded once.
// Provides: tile_scan
// Uses: warp_tile_folds

typedef struct {
  WarpTile warp_tile[WARP_TILES];
  ACC through[WARP_TILES];  // The total of warp tiles 0 to s.
} KeptTile;

// The total of the tile from `begin` on, which has elements, and what a scan of it takes.
DEVICE ACC fold_tile(Elements input, u64 begin, u64 n, KeptTile* kept) {
  ACC warp_totals = IDENTITY;
  for (u32 s = 0; s < WARP_TILES && begin + s * WARP_TILE < n; ++s) {
    const ACC warp_tile = fold_warp_tile(input, begin + s * WARP_TILE, n, &kept->warp_tile[s]);
    warp_totals = s == 0 ? warp_tile : COMBINE(warp_totals, warp_tile);
    kept->through[s] = warp_totals;
  }
  return warp_totals;
}

// Scans that tile, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_tile(const KeptTile* kept, Elements input, u64 begin, u64 n, ACC before, ACC after,
                      __global OUT* output TOTAL_PARAMETERS) {
  ACC base = before;
  for (u32 s = 0; s < WARP_TILES && begin + s * WARP_TILE < n; ++s) {
    const ACC next = s == WARP_TILES - 1 ? after : COMBINE(before, kept->through[s]);
    scan_warp_tile(&kept->warp_tile[s], input, begin + s * WARP_TILE, n, base, next,
                   output TOTAL_ARGUMENTS);
    base = next;
  }
}

// Part tile_refolded_chunks: tiles of a single-pass scan in order v1 whose warp tiles are folded a
// second time for their scan. A GPU would otherwise reserve gigabytes of memory, for all work-items
// that it can hold at once.
// Provides: tile_scan
// Uses: warp_tile_folds

typedef char KeptTile;  // Nothing.

// The total of the tile from `begin` on, which has elements.
DEVICE ACC fold_tile(Elements input, u64 begin, u64 n, KeptTile* kept) {
  ACC warp_totals = IDENTITY;
  for (u32 s = 0; s < WARP_TILES && begin + s * WARP_TILE < n; ++s) {
    WarpTile warp_tile;
    const ACC total = fold_warp_tile(input, begin + s * WARP_TILE, n, &warp_tile);
    warp_totals = s == 0 ? total : COMBINE(warp_totals, total);
  }
  return warp_totals;
}

// Scans that tile, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_tile(const KeptTile* kept, Elements input, u64 begin, u64 n, ACC before, ACC after,
                      __global OUT* output TOTAL_PARAMETERS) {
  ACC base = before;
  ACC through = IDENTITY;
  for (u32 s = 0; s < WARP_TILES && begin + s * WARP_TILE < n; ++s) {
    WarpTile warp_tile;
    const ACC total = fold_warp_tile(input, begin + s * WARP_TILE, n, &warp_tile);
    through = s == 0 ? total : COMBINE(through, total);
    const ACC next = s == WARP_TILES - 1 ? after : COMBINE(before, through);
    scan_warp_tile(&warp_tile, input, begin + s * WARP_TILE, n, base, next, output TOTAL_ARGUMENTS);
    base = next;
  }
}
