// Part line_tile: tiles of order v1 of many lines. A group walks along a tile of several lines at
// once, a block of equally many elements of each at a time. Each warp has LINE_ROWS rows of a
// block: of one line, of several, or each of several short lines.
// Provides: line_tile
// Uses: line_slots, line_rows, lane_index, warp_index

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define BLOCK (GROUP_SIZE * LINE_ROWS * RUN)        // Elements of a block.
#define EACH (LINE_ROWS * RUN)                      // Elements of a work-item.
#define ROW_SLOTS (GROUP_SIZE / LANES * LINE_ROWS)  // Slots of a block that have whole rows.

// How a call is shared out. A unit is `1 << line_shift` neighbouring lines and one of their tiles.
// A block has several units, each line of which has a slot there.
typedef struct {
  u64 lane_shift;  // A slot has `1 << lane_shift` lanes of a row, and if that is all of them,
  u64 row_shift;   // `1 << row_shift` rows.
  u64 tiles;       // Of a line, at most.
  u64 blocks;      // Of slots, one for a group at a time.
} LineTiles;

// Slots of whole rows are kept. States are kept twice: one is read while the other is written.
typedef struct {
  LineState state[2][ROW_SLOTS];
  LineSlot slot[ROW_SLOTS];
  LaneScratch lanes;
} LineScratch;

// Elements of a slot as a power of two, and slots of a block.
DEVICE u32 span_shift(LineTiles tiles) {
  return (u32)(tiles.lane_shift + tiles.row_shift) + (RUN == 4 ? 2 : RUN == 2 ? 1 : 0);
}
DEVICE u32 slots_of_block(LineTiles tiles) { return BLOCK >> span_shift(tiles); }

DEVICE LineSlot find_slot(LinePlaces places, LineTiles tiles, u64 block, u32 slot, u64 lines,
                          u64 n) {
  u64 unit = block * slots_of_block(tiles) + slot;
  u64 begin = 0;
  if (tiles.tiles > 1) {
    begin = unit % tiles.tiles * TILE;
    unit /= tiles.tiles;
  }
  return slot_of_line(places, unit, lines, begin, n);
}

// Keeps the slots of a block, if these have whole rows.
DEVICE void keep_slots(LinePlaces places, LineTiles tiles, u64 block, u64 lines, u64 n,
                       __local LineSlot* kept) {
  const u32 slots = slots_of_block(tiles);
  if (slots > ROW_SLOTS) return;
  for (u32 slot = (u32)get_local_id(0); slot < slots; slot += GROUP_SIZE) {
    kept[slot] = find_slot(places, tiles, block, slot, lines, n);
  }
}
DEVICE LineSlot slot_at(LinePlaces places, LineTiles tiles, u64 block, u32 slot, u64 lines, u64 n,
                        const __local LineSlot* kept) {
  // Field by field: a compiler may keep a struct that comes from two places in memory.
  LineSlot found;
  if (slots_of_block(tiles) <= ROW_SLOTS) {
    found.input = kept[slot].input;
    found.second = kept[slot].second;
    found.output = kept[slot].output;
    found.line = kept[slot].line;
    found.begin = kept[slot].begin;
    found.left = kept[slot].left;
  } else {
    found = find_slot(places, tiles, block, slot, lines, n);
  }
  return found;
}

// A row of a warp: the slot that this lane has there, the numbers of the row and the lane in it,
// and where its run begins.
typedef struct {
  u32 slot;
  u32 row;
  u32 lane;
  u32 run;
} LineRow;
DEVICE LineRow line_row(LineTiles tiles, u32 r) {
  const u32 number = warp_index() * LINE_ROWS + r;
  LineRow at;
  at.lane = lane_index() & ((1u << tiles.lane_shift) - 1);
  at.row = number & ((1u << tiles.row_shift) - 1);
  at.slot =
      ((number >> tiles.row_shift) << (5 - tiles.lane_shift)) + (lane_index() >> tiles.lane_shift);
  at.run = (at.row * LANES + at.lane) * RUN;
  return at;
}

// Folds the runs of this lane in place, and computes the prefixes of the rows. `total` becomes the
// total of a row, and `earlier` what lies before the run in it, if it is not the first.
DEVICE void fold_line_rows(LineTiles tiles, ACC* sums, ACC* prefix, ACC* total, ACC* earlier,
                           __local LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sums[r * RUN + k] = COMBINE(sums[r * RUN + k - 1], sums[r * RUN + k]);
    }
    prefix[r] = sums[r * RUN + RUN - 1];
  }
  prefix_line_rows(prefix, 1u << tiles.lane_shift, total, earlier, scratch);
}
