// Part order_tile_chunks:
// tiles of a scan in order v1 by one work-item, for CPU devices, strip by strip.
// Provides: tile_folds
// Uses: strip_folds

// One level of the binary tree that is a row's last prefix.
DEVICE void combine_pairs(const ACC* from, ACC* to, u32 count) {
  for (u32 i = 0; i < count; ++i) to[i] = COMBINE(from[2 * i], from[2 * i + 1]);
}

// The total of a strip, of the totals of its runs.
DEVICE ACC total_of_runs(const ACC run[STRIP_RUNS]) {
  ACC one[STRIP_RUNS / 4];
  ACC other[STRIP_RUNS / 2];
  combine_pairs(run, other, STRIP_RUNS / 2);
  combine_pairs(other, one, STRIP_RUNS / 4);
  combine_pairs(one, other, STRIP_RUNS / 8);
  combine_pairs(other, one, STRIP_RUNS / 16);
  combine_pairs(one, other, STRIP_RUNS / 32);
  ACC strip = other[0];
  for (u32 r = 1; r < STRIP_ROWS; ++r) strip = COMBINE(strip, other[r]);
  return strip;
}

// The total of the strip from `begin` on, which has elements.
DEVICE ACC total_of_strip(Elements input, u64 begin, u64 n) {
  ACC sum[RUN][STRIP_RUNS];
  fold_runs(input, begin, n, sum, sum[RUN - 1]);
  return total_of_runs(sum[RUN - 1]);
}

// The total of the tile from `begin` on, which has elements.
DEVICE ACC total_of_tile(Elements input, u64 begin, u64 n) {
  ACC tile = IDENTITY;
  for (u32 s = 0; s < TILE_STRIPS && begin + s * STRIP < n; ++s) {
    const ACC strip = total_of_strip(input, begin + s * STRIP, n);
    tile = s == 0 ? strip : COMBINE(tile, strip);
  }
  return tile;
}

// Scans the tile from `tile` on, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_one_tile(Elements input, u64 tile, u64 n, ACC before, ACC after,
                          __global OUT* output TOTAL_PARAMETERS) {
  ACC strips = IDENTITY;
  ACC base = before;
  for (u32 s = 0; s < TILE_STRIPS && tile + s * STRIP < n; ++s) {
    const u64 begin = tile + s * STRIP;
    Strip strip;
    const ACC total = fold_strip(input, begin, n, &strip);
    strips = s == 0 ? total : COMBINE(strips, total);
    const ACC next = s == TILE_STRIPS - 1 ? after : COMBINE(before, strips);
    scan_strip(&strip, input, begin, n, base, next, output TOTAL_ARGUMENTS);
    base = next;
  }
}

// Part tile_again_chunks:
// tiles of a single-pass scan, for CPU devices, whose elements are loaded once more for
// their scan.
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

// Part tile_kept_chunks:
// tiles of a single-pass scan in order v1, for CPU devices, whose folds are kept for their
// scan: the elements are loaded once.
// Provides: tile_scan
// Uses: strip_folds

typedef struct {
  Strip strip[TILE_STRIPS];
  ACC through[TILE_STRIPS];  // The total of strips 0 to s.
} KeptTile;

// The total of the tile from `begin` on, which has elements, and what a scan of it takes.
DEVICE ACC fold_tile(Elements input, u64 begin, u64 n, KeptTile* kept) {
  ACC strips = IDENTITY;
  for (u32 s = 0; s < TILE_STRIPS && begin + s * STRIP < n; ++s) {
    const ACC strip = fold_strip(input, begin + s * STRIP, n, &kept->strip[s]);
    strips = s == 0 ? strip : COMBINE(strips, strip);
    kept->through[s] = strips;
  }
  return strips;
}

// Scans that tile, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_tile(const KeptTile* kept, Elements input, u64 begin, u64 n, ACC before, ACC after,
                      __global OUT* output TOTAL_PARAMETERS) {
  ACC base = before;
  for (u32 s = 0; s < TILE_STRIPS && begin + s * STRIP < n; ++s) {
    const ACC next = s == TILE_STRIPS - 1 ? after : COMBINE(before, kept->through[s]);
    scan_strip(&kept->strip[s], input, begin + s * STRIP, n, base, next, output TOTAL_ARGUMENTS);
    base = next;
  }
}

// Part tile_refolded_chunks:
// tiles of a single-pass scan in order v1 whose strips are folded once more for their
// scan: a GPU would set memory aside for every work-item that it can hold at a time, gigabytes.
// Provides: tile_scan
// Uses: strip_folds

typedef char KeptTile;  // Nothing.

// The total of the tile from `begin` on, which has elements.
DEVICE ACC fold_tile(Elements input, u64 begin, u64 n, KeptTile* kept) {
  ACC strips = IDENTITY;
  for (u32 s = 0; s < TILE_STRIPS && begin + s * STRIP < n; ++s) {
    Strip strip;
    const ACC total = fold_strip(input, begin + s * STRIP, n, &strip);
    strips = s == 0 ? total : COMBINE(strips, total);
  }
  return strips;
}

// Scans that tile, of which `before` lies in front, and `after` in front of the next.
DEVICE void scan_tile(const KeptTile* kept, Elements input, u64 begin, u64 n, ACC before, ACC after,
                      __global OUT* output TOTAL_PARAMETERS) {
  ACC base = before;
  ACC through = IDENTITY;
  for (u32 s = 0; s < TILE_STRIPS && begin + s * STRIP < n; ++s) {
    Strip strip;
    const ACC total = fold_strip(input, begin + s * STRIP, n, &strip);
    through = s == 0 ? total : COMBINE(through, total);
    const ACC next = s == TILE_STRIPS - 1 ? after : COMBINE(before, through);
    scan_strip(&strip, input, begin + s * STRIP, n, base, next, output TOTAL_ARGUMENTS);
    base = next;
  }
}
