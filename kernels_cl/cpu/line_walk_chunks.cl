// Part line_walk_order_chunks: eight lines are walked along at once, run by run, in order v1.
// Provides: line_walk
// Uses: line_lanes

// What lies before the next run, and what that is made of.
typedef struct {
  Lanes before_run;
  Lanes before_row;
  Lanes before_warp_tile;
  Lanes before_tile;
  Lanes before_supertile;
  Lanes rows;        // Of the warp tile, folded.
  Lanes warp_tiles;  // Of the tile.
} LineWalk;

// What a Kogge-Stone prefix over 32 totals keeps: behind `distance` entries, as many values of the
// step of that distance. The first entry is never used.
typedef struct {
  Lanes runs[ROW_RUNS];
  Lanes tiles[SUPERTILE_TILES];
} LinePrefixes;

DEVICE void begin_walk(LineWalk* walk, const Lanes* init) {
  walk->before_run = *init;
  walk->before_row = *init;
  walk->before_warp_tile = *init;
  walk->before_tile = *init;
  walk->before_supertile = *init;
}

// Turns total `number` into the prefix up to it. Those before it have been turned.
INLINE void append_total(Lanes* kept, u32 number, Lanes* total) {
#pragma unroll
  for (u32 distance = 1; distance < ROW_RUNS; distance *= 2) {
    Lanes* own = kept + distance + (number & (distance - 1));
    const Lanes earlier = *own;
    *own = *total;
    if (number >= distance) combine_lanes(&earlier, total, total);
  }
}
typedef char both_are_of_32[ROW_RUNS == 32 && SUPERTILE_TILES == 32 ? 1 : -1];

// Appends a total to a fold of so many.
DEVICE void fold_total(Lanes* fold, u32 number, const Lanes* total) {
  if (number == 0) {
    *fold = *total;
  } else {
    combine_lanes(fold, total, fold);
  }
}

// Row `row` of the lines has ended.
DEVICE void end_row(LineWalk* walk, LinePrefixes* prefixes, u64 row, const Lanes* total) {
  const u32 in_warp_tile = (u32)(row % WARP_TILE_ROWS);
  const u32 warp_tile = (u32)(row / WARP_TILE_ROWS % WARP_TILES);
  const u32 tile = (u32)(row / (WARP_TILE_ROWS * WARP_TILES) % SUPERTILE_TILES);
  fold_total(&walk->rows, in_warp_tile, total);
  if (in_warp_tile < WARP_TILE_ROWS - 1) {
    combine_lanes(&walk->before_warp_tile, &walk->rows, &walk->before_row);
  } else {
    fold_total(&walk->warp_tiles, warp_tile, &walk->rows);
    if (warp_tile < WARP_TILES - 1) {
      combine_lanes(&walk->before_tile, &walk->warp_tiles, &walk->before_warp_tile);
    } else {
      Lanes tiles = walk->warp_tiles;
      append_total(prefixes->tiles, tile, &tiles);
      combine_lanes(&walk->before_supertile, &tiles, &walk->before_tile);
      if (tile == SUPERTILE_TILES - 1) walk->before_supertile = walk->before_tile;
      walk->before_warp_tile = walk->before_tile;
    }
    walk->before_row = walk->before_warp_tile;
  }
  walk->before_run = walk->before_row;
}

// Takes run `run` of the lines, of[k] with element k: results[k] becomes what lies before element
// k, and results[RUN] what lies before the next run.
INLINE void walk_run(LineWalk* walk, LinePrefixes* prefixes, u64 run, Lanes of[RUN],
                     Lanes results[RUN + 1]) {
  const u32 in_row = (u32)(run % ROW_RUNS);
  results[0] = walk->before_run;
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) {
    combine_lanes(&walk->before_run, &of[k - 1], &results[k]);
    combine_lanes(&of[k - 1], &of[k], &of[k]);
  }
  append_total(prefixes->runs, in_row, &of[RUN - 1]);
  if (in_row < ROW_RUNS - 1) {
    combine_lanes(&walk->before_row, &of[RUN - 1], &walk->before_run);
  } else {
    end_row(walk, prefixes, run / ROW_RUNS, &of[RUN - 1]);
  }
  results[RUN] = walk->before_run;
}

// The total of the tile that has just ended.
DEVICE Lanes total_of_walk(const LineWalk* walk) { return walk->warp_tiles; }

// Part line_walk_exact_chunks: the same where no association decides about bits.
// Provides: line_walk
// Uses: line_lanes

typedef struct {
  Lanes before_run;
} LineWalk;
typedef char LinePrefixes;  // Nothing.

DEVICE void begin_walk(LineWalk* walk, const Lanes* init) { walk->before_run = *init; }

INLINE void walk_run(LineWalk* walk, LinePrefixes* prefixes, u64 run, Lanes of[RUN],
                     Lanes results[RUN + 1]) {
  results[0] = walk->before_run;
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) combine_lanes(&results[k], &of[k], &results[k + 1]);
  walk->before_run = results[RUN];
}

DEVICE Lanes total_of_walk(const LineWalk* walk) { return walk->before_run; }
