// Prelude: tiles of a single-pass scan in order v1, for CPU devices, whose folds are kept for their
// scan: the elements are loaded once.

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
