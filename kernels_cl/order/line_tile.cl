// Part line_tile: warp tiles of order v1 of many lines. A group has as many of them as a tile has:
// those of one tile, or the tiles of several shorter lines.
// Provides: line_tile
// Uses: order_warp_tile_loads, order_tile_shape, line_array, lane_index, warp_index

// How a call is shared out. A line has `1 << warp_tile_shift` warp tiles of a group.
typedef struct {
  u64 warp_tile_shift;
  u64 tiles;   // Of a line, at most.
  u64 lines;   // At most. The next tile of a line comes behind one of each line.
  u64 blocks;  // Of tiles, one for a group at a time.
} LineTiles;

// A warp tile of a group.
typedef struct {
  u64 line;
  u64 tile;    // The number of its tile in the line,
  u32 number;  // and its own in that tile.
  u32 first;   // The first warp tile of that tile in the group.
  LineStarts starts;
} LineWarpTile;

// The warp tile that is number `s` of this warp's.
DEVICE LineWarpTile line_warp_tile(LinePlaces places, LineTiles tiles, u64 block, u32 s,
                                   u64 lines) {
  const u32 shift = (u32)tiles.warp_tile_shift;
  const u32 own = warp_index() * WARP_TILES_EACH + s;
  LineWarpTile at;
  at.number = own & ((1u << shift) - 1);
  at.first = own - at.number;
  at.line = block * (WARP_TILES >> shift) + (own >> shift);
  at.tile = 0;
  if (tiles.tiles > 1) {
    at.tile = at.line / tiles.lines;
    at.line -= at.tile * tiles.lines;
  }
  at.starts = starts_of_line(places, at.line < lines ? at.line : 0);
  return at;
}

// Loads the warp tiles of this warp. Their totals go to `warp_totals`, where all work-items see
// them after a barrier. A line that does not exist has no elements.
DEVICE void load_line_tiles(INPUT_PARAMETERS, LinePlaces places, LineTiles tiles, u64 block,
                            u64 lines, u64 n, __private ACC* sums, __private ACC* prefix,
                            __local LaneScratch* scratch, __local ACC* warp_totals) {
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    const LineWarpTile at = line_warp_tile(places, tiles, block, s, lines);
    const Elements line = array_of_line(INPUT_ARGUMENTS, places, at.starts, n);
    __private ACC* own = sums + s * WARP_TILE_ROWS * RUN;
    load_warp_tile(line, at.tile * TILE + at.number * WARP_TILE, at.line < lines ? n : 0, own);
    const ACC total = sum_warp_tile(own, prefix + s * WARP_TILE_ROWS, scratch);
    if (lane_index() == LANES - 1) warp_totals[at.first + at.number] = total;
  }
}

// Part line_tile_results: the results of a warp tile of a line.
// Provides: line_tile_results
// Uses: outputs, line_tile, line_order, order_warp_tile_results, line_tile_stores

// Computes and stores the results of a warp tile. `totals` are those of the warp tiles of its tile;
// `before` is the tile's prefix, `after` that of the next tile. `output` has the first element of
// line 0.
DEVICE void finish_line_warp_tile(Outputs output, LinePlaces places, LineWarpTile at, u64 n,
                                  __private ACC* sums, __private ACC* prefix,
                                  const __local ACC* totals, ACC before, ACC after,
                                  __local LaneScratch* scratch TOTAL_PARAMETERS) {
  ACC start = before;
  if (at.number > 0) start = COMBINE(before, fold_warp_totals(totals, at.number));
  ACC next = after;
  if (at.number < WARP_TILES - 1) next = COMBINE(before, fold_warp_totals(totals, at.number + 1));
  ACC row[WARP_TILE_ROWS];
  ACC earlier[WARP_TILE_ROWS];
  edge_rows(prefix, row, earlier, scratch);
  const u64 begin = at.tile * TILE + at.number * WARP_TILE;
  complete_warp_tile(begin, n, sums, prefix, row, earlier, start, next TOTAL_ARGUMENTS);
  const u64 first = place_in_line(0, n) * ELEMENT_STRIDE(places.output);
  store_line_warp_tile(OUTPUTS_FROM(output, at.starts.output + first), places, begin, n, sums);
}

// Part line_tile_stores_unit: results whose elements are neighbours are stored as those of an
// array.
// Provides: line_tile_stores
// Uses: outputs, line_starts, order_warp_tile_stores

DEVICE void store_line_warp_tile(Outputs line, LinePlaces places, u64 begin, u64 n,
                                 __private ACC* sums) {
  store_warp_tile(line, 0, begin, n, sums);
}

// Part line_tile_stores_strided: results that lie a stride apart are stored one by one.
// Provides: line_tile_stores
// Uses: outputs, line_order, order_warp_tile

DEVICE void store_line_warp_tile(Outputs line, LinePlaces places, u64 begin, u64 n,
                                 __private ACC* sums) {
  const u64 stride = behind_first(1, ELEMENT_STRIDE(places.output));
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      const u64 i = begin + run_index(r) + k;
      if (i < n) PUT_RESULT(line, i * stride, sums[r * RUN + k]);
    }
  }
}
