// Part column_words: what groups that look back along columns publish: the totals of warp tiles and
// of tiles, and those of supertiles, which later become prefixes. Neighbouring lines have theirs
// side by side.
// Provides: column_words
// Uses: tile_words, line_slots, line_elements, device_fence

#define COLUMN_WARP_TILE (RUN * ROW_RUNS * WARP_TILE_ROWS)

// The words of a line.
typedef struct {
  __global u64* warp_tiles;
  __global u64* tiles;
  __global u64* supertiles;
  u64 line;
  u64 lines;  // From a word to the one behind it in the line.
  u32 epoch;
} ColumnWords;

DEVICE ColumnWords column_words(__global u64* words, u64 tiles, u64 line, u64 lines, u32 epoch) {
  const u64 each = tiles * lines * ACC_WORDS;
  ColumnWords own;
  own.warp_tiles = words;
  own.tiles = own.warp_tiles + each * WARP_TILES;
  own.supertiles = own.tiles + each;
  own.line = line;
  own.lines = lines;
  own.epoch = epoch;
  return own;
}
DEVICE void publish_column(ColumnWords own, __global u64* words, u64 number, u32 state, ACC value) {
  publish(words, number * own.lines + own.line, own.epoch, state, value);
}
DEVICE u32 try_column(ColumnWords own, const __global u64* words, u64 number,
                      __private ACC* value) {
  return try_read(words, number * own.lines + own.line, own.epoch, value);
}
// Polls until there is a value, or often enough.
DEVICE u32 poll_column(ColumnWords own, const __global u64* words, u64 number,
                       __private ACC* value) {
  u32 spins = 0;
  do {
    const u32 state = try_column(own, words, number, value);
    if (state != STATE_EMPTY) return state;
  } while (++spins < SPIN_LIMIT);
  return STATE_EMPTY;
}

// The perfect binary tree over 32 values that come one by one, without an array: some compilers
// would keep all arrays in memory for its sake.
#if ROW_RUNS != 32 || SUPERTILE_TILES != 32
#error "rows and supertiles are trees of 32"
#endif
typedef struct {
  ACC one;
  ACC two;
  ACC four;
  ACC eight;
  ACC sixteen;
} Tree32;

DEVICE ACC fold_into_tree(__private Tree32* tree, u32 number, ACC value) {
  if (number % 2 == 0) {
    tree->one = value;
    return value;
  }
  value = COMBINE(tree->one, value);
  if (number / 2 % 2 == 0) {
    tree->two = value;
    return value;
  }
  value = COMBINE(tree->two, value);
  if (number / 4 % 2 == 0) {
    tree->four = value;
    return value;
  }
  value = COMBINE(tree->four, value);
  if (number / 8 % 2 == 0) {
    tree->eight = value;
    return value;
  }
  value = COMBINE(tree->eight, value);
  if (number < 16) {
    tree->sixteen = value;
    return value;
  }
  return COMBINE(tree->sixteen, value);
}

// The total of a full warp tile, by one work-item in its order.
DEVICE ACC reduce_warp_tile_alone(INPUT_PARAMETERS, LinePlaces places, u64 line, u64 warp_tile,
                                  u64 n) {
  const u64 begin = warp_tile / WARP_TILES * TILE;
  const LineSlot slot = slot_of_line(places, line, line + 1, begin, n);
  const LineElements elements = elements_from(INPUT_ARGUMENTS, slot.input, slot.second);
  u32 e = (u32)(warp_tile % WARP_TILES) * COLUMN_WARP_TILE;
  ACC total;
#pragma unroll 1
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    Tree32 tree;
    ACC row;
#pragma unroll 1
    for (u32 l = 0; l < ROW_RUNS; ++l) {
      ACC run;
#pragma unroll 1
      for (u32 k = 0; k < RUN; ++k) {
        const ACC value =
            lift_in_line(first_element(elements_behind(elements, places, e)), begin + e, n);
        run = k == 0 ? value : COMBINE(run, value);
        ++e;
      }
      row = fold_into_tree(&tree, l, run);
    }
    total = r == 0 ? row : COMBINE(total, row);
  }
  return total;
}

// Waits for the total of a full warp tile, and reduces it here if it stays missing. In place, its
// owner may be overwriting it. But the owner publishes before it stores, with a fence between. So
// if the words are still empty afterwards, the elements that were read are the input's.
DEVICE ACC await_warp_tile(INPUT_PARAMETERS, LinePlaces places, ColumnWords own, u64 warp_tile,
                           u64 n) {
  ACC value;
  if (poll_column(own, own.warp_tiles, warp_tile, &value) != STATE_EMPTY) return value;
  const ACC total = reduce_warp_tile_alone(INPUT_ARGUMENTS, places, own.line, warp_tile, n);
  device_fence();
  return try_column(own, own.warp_tiles, warp_tile, &value) != STATE_EMPTY ? value : total;
}

// The same of a full tile, of which its warp tiles' words tell as well.
DEVICE ACC fold_warp_tiles(INPUT_PARAMETERS, LinePlaces places, ColumnWords own, u64 tile, u64 n) {
  ACC total;
#pragma unroll 1
  for (u32 s = 0; s < WARP_TILES; ++s) {
    const ACC value = await_warp_tile(INPUT_ARGUMENTS, places, own, tile * WARP_TILES + s, n);
    total = s == 0 ? value : COMBINE(total, value);
  }
  return total;
}
DEVICE ACC await_column_tile(INPUT_PARAMETERS, LinePlaces places, ColumnWords own, u64 tile,
                             u64 n) {
  ACC value;
  if (poll_column(own, own.tiles, tile, &value) != STATE_EMPTY) return value;
  return fold_warp_tiles(INPUT_ARGUMENTS, places, own, tile, n);
}

// The same of a full supertile, whose words may have its prefix instead. Returns what *value is.
DEVICE ACC fold_tiles(INPUT_PARAMETERS, LinePlaces places, ColumnWords own, u64 supertile, u64 n) {
  Tree32 tree;
  ACC total;
#pragma unroll 1
  for (u32 t = 0; t < SUPERTILE_TILES; ++t) {
    const u64 tile = supertile * SUPERTILE_TILES + t;
    total = fold_into_tree(&tree, t, await_column_tile(INPUT_ARGUMENTS, places, own, tile, n));
  }
  return total;
}
DEVICE u32 await_supertile(INPUT_PARAMETERS, LinePlaces places, ColumnWords own, u64 supertile,
                           u64 n, __private ACC* value) {
  const u32 state = poll_column(own, own.supertiles, supertile, value);
  if (state != STATE_EMPTY) return state;
  *value = fold_tiles(INPUT_ARGUMENTS, places, own, supertile, n);
  return STATE_AGGREGATE;
}

// Part column_lookback: what lies before the warp tiles that a group has of some columns. It has a
// power of two of them of a line, and as many neighbouring lines as are left.
// Provides: column_lookback
// Uses: column_words, column_rows, line_tile_prefix, order_lanes, lane_index, warp_index

#define TILE_ROWS (WARP_TILE_ROWS * WARP_TILES)
// A group has a warp tile of each line, at least.
#define MOST_COLUMNS (GROUP_SIZE / WARP_TILE_ROWS)

// The unit of a group, and this work-item's part of it.
typedef struct {
  u32 columns;
  u32 column;
  u32 rows;
  u32 row;
  u32 first_row;  // Of the unit in its tile.
  u64 line;
  u64 lines;  // Of all units.
  u64 tile;
  bool valid;      // It has elements of a line that exists.
  u32 position;    // Full tiles before it in its supertile.
  u64 supertile;   // Full supertiles before that.
  bool ends_tile;  // It has the end of a full tile.
  u32 warp_tiles;  // Full warp tiles before it in its tile.
} ColumnUnit;

// Units of the first tiles of all lines come first, so that hardly one waits for the one before it.
DEVICE ColumnUnit column_unit(ColumnTiles tiles, u64 unit, u64 lines, u64 n) {
  const u32 row_shift = (u32)tiles.row_shift;
  ColumnUnit own;
  own.columns = 1u << (u32)tiles.line_shift;
  own.column = (u32)get_local_id(0) & (own.columns - 1);
  own.rows = 1u << row_shift;
  own.row = (u32)get_local_id(0) >> (u32)tiles.line_shift;
  const u32 units_of_tile = TILE_ROWS >> row_shift;
  const u64 blocks_of_lines = tiles.blocks / (tiles.tiles * units_of_tile);
  const u64 number = unit / blocks_of_lines;
  own.line = (unit - number * blocks_of_lines) * own.columns + own.column;
  own.lines = blocks_of_lines * own.columns;
  own.tile = number / units_of_tile;
  own.first_row = (u32)(number % units_of_tile) << row_shift;
  const u64 begin = own.tile * TILE;
  own.valid = begin + own.first_row * ROW < n && own.line < lines;
  own.position = (u32)(own.tile % SUPERTILE_TILES);
  own.supertile = own.tile / SUPERTILE_TILES;
  own.warp_tiles = own.first_row / WARP_TILE_ROWS;
  own.ends_tile = own.first_row + own.rows == TILE_ROWS && begin + TILE <= n;
  return own;
}

// What the work-items of a group share.
typedef struct {
  u32 epoch;                                  // Of the call; the first work-item drew it.
  ACC rows[GROUP_SIZE];                       // Totals of rows,
  ACC warp_tiles[WARP_TILES * MOST_COLUMNS];  // of warp tiles of the tile up to the unit's,
  ACC tiles[SUPERTILE_TILES * MOST_COLUMNS];  // of tiles of the supertile,
  ACC supertiles[GROUP_SIZE];                 // and of those before it, the nearest first,
  u32 states[GROUP_SIZE];                     // or their prefixes, as these tell.
  ACC before_tile[MOST_COLUMNS];              // The tile's prefix within its supertile,
  ACC through_tile[MOST_COLUMNS];             // the same with the tile,
  ACC before[MOST_COLUMNS];                   // and all that lies before the tile.
  ACC behind[MOST_COLUMNS];                   // The same with the tile.
} ColumnLookBack;

// All that lies before a supertile. As many of them as a line has rows have been read already.
DEVICE ACC before_supertile(INPUT_PARAMETERS, LinePlaces places, ColumnWords words, ColumnUnit own,
                            u64 n, ACC init, const __local ColumnLookBack* lookback) {
  u64 back = 0;
  ACC prefix = init;
  u32 state = STATE_EMPTY;
#pragma unroll 1
  for (; back < own.supertile && state != STATE_INCLUSIVE; ++back) {
    if (back < own.rows) {
      state = lookback->states[back * own.columns + own.column];
      prefix = lookback->supertiles[back * own.columns + own.column];
    } else {
      state = await_supertile(INPUT_ARGUMENTS, places, words, own.supertile - 1 - back, n, &prefix);
    }
  }
  if (state == STATE_INCLUSIVE) {
    --back;
  } else {
    prefix = init;
  }
#pragma unroll 1
  while (back > 0) {
    --back;
    ACC value;
    if (back < own.rows) {
      state = lookback->states[back * own.columns + own.column];
      value = lookback->supertiles[back * own.columns + own.column];
    } else {
      state = await_supertile(INPUT_ARGUMENTS, places, words, own.supertile - 1 - back, n, &value);
    }
    prefix = state == STATE_INCLUSIVE ? value : COMBINE(prefix, value);
  }
  return prefix;
}

// Publishes the totals of the unit, whose rows' are known, and finds what lies before its tile and,
// for the unit that ends it, behind it. Called by all work-items. Ends with a barrier.
DEVICE void look_back_columns(INPUT_PARAMETERS, LinePlaces places, ColumnWords words,
                              ColumnUnit own, u64 n, ACC init, bool in_place,
                              __local ColumnLookBack* lookback, __local LaneScratch* scratch) {
  // --- Totals of warp tiles ---
  if (own.row % WARP_TILE_ROWS == WARP_TILE_ROWS - 1) {
    const u32 first = (own.row - (WARP_TILE_ROWS - 1)) * own.columns + own.column;
    ACC total = lookback->rows[first];
#pragma unroll
    for (u32 r = 1; r < WARP_TILE_ROWS; ++r) {
      total = COMBINE(total, lookback->rows[first + r * own.columns]);
    }
    const u32 in_tile = (own.first_row + own.row) / WARP_TILE_ROWS;
    lookback->warp_tiles[in_tile * own.columns + own.column] = total;
    const u64 end = own.tile * TILE + (u64)(in_tile + 1) * COLUMN_WARP_TILE;
    if (own.valid && end <= n) {
      publish_column(words, words.warp_tiles, own.tile * WARP_TILES + in_tile, STATE_AGGREGATE,
                     total);
    }
    if (in_place) device_fence();
  }
  if (own.valid && own.row < own.warp_tiles) {
    lookback->warp_tiles[(u32)get_local_id(0)] =
        await_warp_tile(INPUT_ARGUMENTS, places, words, own.tile * WARP_TILES + own.row, n);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Totals of tiles ---
  if (own.ends_tile && own.row == 0) {
    ACC total = lookback->warp_tiles[own.column];
#pragma unroll
    for (u32 s = 1; s < WARP_TILES; ++s) {
      total = COMBINE(total, lookback->warp_tiles[s * own.columns + own.column]);
    }
    lookback->tiles[own.position * own.columns + own.column] = total;
    if (own.valid) publish_column(words, words.tiles, own.tile, STATE_AGGREGATE, total);
  }
  if (own.valid) {
    for (u32 t = own.row; t < own.position; t += own.rows) {
      lookback->tiles[t * own.columns + own.column] =
          await_column_tile(INPUT_ARGUMENTS, places, words, own.tile - own.position + t, n);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Their prefixes: a warp has the tiles of a column ---
  for (u32 from = 0; from < own.columns; from += WARPS) {
    const u32 column = from + warp_index();
    const bool exists = column < own.columns && lane_index() < own.position + own.ends_tile;
    ACC value = IDENTITY;
    if (exists) value = lookback->tiles[lane_index() * own.columns + column];
    value = lane_prefix(value, scratch);
    if (exists && lane_index() + 1 == own.position) lookback->before_tile[column] = value;
    if (exists && lane_index() == own.position) lookback->through_tile[column] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Supertiles ---
  if (own.valid && own.ends_tile && own.position == SUPERTILE_TILES - 1 && own.row == 0) {
    publish_column(words, words.supertiles, own.supertile, STATE_AGGREGATE,
                   lookback->through_tile[own.column]);
  }
  if (own.valid && own.row < own.supertile) {
    ACC value;
    lookback->states[(u32)get_local_id(0)] =
        await_supertile(INPUT_ARGUMENTS, places, words, own.supertile - 1 - own.row, n, &value);
    lookback->supertiles[(u32)get_local_id(0)] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own.valid && own.row == 0) {
    const ACC before = before_supertile(INPUT_ARGUMENTS, places, words, own, n, init, lookback);
    lookback->before[own.column] =
        own.position == 0 ? before : COMBINE(before, lookback->before_tile[own.column]);
    if (own.ends_tile) {
      const ACC behind = COMBINE(before, lookback->through_tile[own.column]);
      lookback->behind[own.column] = behind;
      if (own.position == SUPERTILE_TILES - 1) {
        publish_column(words, words.supertiles, own.supertile, STATE_INCLUSIVE, behind);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// What lies before this work-item's row of the unit, and behind it.
DEVICE ACC before_column_row(ColumnUnit own, const __local ColumnLookBack* lookback,
                             __private ACC* behind) {
  const u32 number = own.first_row + own.row;
  LineState state;
  state.warp_tiles = IDENTITY;
  state.rows = IDENTITY;
  for (u32 s = 0; s < number / WARP_TILE_ROWS; ++s) {
    const ACC total = lookback->warp_tiles[s * own.columns + own.column];
    state.warp_tiles = s == 0 ? total : COMBINE(state.warp_tiles, total);
  }
  for (u32 r = own.row / WARP_TILE_ROWS * WARP_TILE_ROWS; r < own.row; ++r) {
    const ACC total = lookback->rows[r * own.columns + own.column];
    state.rows = r % WARP_TILE_ROWS == 0 ? total : COMBINE(state.rows, total);
  }
  const ACC before = lookback->before[own.column];
  const ACC start = before_row(state, number, before);
  state = next_state(state, number, lookback->rows[(u32)get_local_id(0)]);
  *behind =
      number + 1 < TILE_ROWS ? before_row(state, number + 1, before) : lookback->behind[own.column];
  return start;
}

// Part column_stash: a work-item keeps half of its row in local memory, to have registers for other
// work.
// Provides: column_stash
// Uses: column_rows

#define STASHED_OF_RUN (RUN / 2)  // The first ones: the last one is the run's total.
#define STASHED (STASHED_OF_RUN * KEPT_RUNS + 1)

DEVICE void stash_column_row(__local ACC (*stash)[GROUP_SIZE], const __private ACC* sums) {
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
#pragma unroll
    for (u32 k = 0; k < STASHED_OF_RUN; ++k) {
      stash[l * STASHED_OF_RUN + k][(u32)get_local_id(0)] = sums[l * RUN + k];
    }
  }
}
DEVICE void fetch_column_row(const __local ACC (*stash)[GROUP_SIZE], __private ACC* sums) {
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
#pragma unroll
    for (u32 k = 0; k < STASHED_OF_RUN; ++k) {
      sums[l * RUN + k] = stash[l * STASHED_OF_RUN + k][(u32)get_local_id(0)];
    }
  }
}
