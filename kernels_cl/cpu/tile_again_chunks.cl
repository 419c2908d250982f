// Prelude: tiles of a single-pass scan, for CPU devices, whose elements are loaded once more for
// their scan.

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
