// Prelude: tiles of a single-pass scan in order v1 whose strips are folded once more for their
// scan: a GPU would set memory aside for every work-item that it can hold at a time, gigabytes.

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
