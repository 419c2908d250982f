// Part line_slots: a tile of order v1 of a line, and what lies before its rows.
// Provides: line_slots
// Uses: line_starts, line_order

#define TILE (RUN * ROW_RUNS * WARP_TILE_ROWS * WARP_TILES)

// A slot has a tile of a line. Its element e lies e strides behind its first one, which lies
// so many elements behind the first one of line 0; if the scan is reversed, before it.
typedef struct {
  u64 input;
  u64 second;
  u64 output;
  u64 line;
  u64 begin;  // The index of the first element in the line.
  u32 left;   // Elements of the tile that exist; none of a line that does not exist.
} LineSlot;

DEVICE LineSlot slot_of_line(LinePlaces places, u64 line, u64 lines, u64 begin, u64 n) {
  LineSlot slot;
  slot.line = line;
  slot.begin = begin;
  slot.left = 0;
  if (line < lines && begin < n) slot.left = (u32)(n - begin < TILE ? n - begin : TILE);
  const LineStarts starts = starts_of_line(places, slot.left > 0 ? line : 0);
  const u64 place = slot.left > 0 ? place_in_line(begin, n) : 0;
  slot.input = starts.input + place * ELEMENT_STRIDE(places.input);
  slot.second = starts.second + place * ELEMENT_STRIDE(places.second);
  slot.output = starts.output + place * ELEMENT_STRIDE(places.output);
  return slot;
}

// What lies before the row that a line is at: the fold of the tile's warp tiles that are complete,
// and that of the rows of the next one.
typedef struct {
  ACC warp_tiles;
  ACC rows;
} LineState;

// The total of the row is added to what the line has before the next one. `number` is the row's in
// its tile.
DEVICE LineState next_state(LineState state, u32 number, ACC total) {
  ACC rows = total;
  if (number % WARP_TILE_ROWS != 0) rows = COMBINE(state.rows, total);
  state.rows = rows;
  if (number % WARP_TILE_ROWS == WARP_TILE_ROWS - 1) {
    if (number >= WARP_TILE_ROWS) rows = COMBINE(state.warp_tiles, rows);
    state.warp_tiles = rows;
  }
  return state;
}

// Part line_tile_prefix: what lies before the rows of a tile of a line.
// Provides: line_tile_prefix
// Uses: line_slots

// What lies before row `number` of a tile, if `before` lies before the tile.
DEVICE ACC before_row(LineState state, u32 number, ACC before) {
  if (number >= WARP_TILE_ROWS) before = COMBINE(before, state.warp_tiles);
  if (number % WARP_TILE_ROWS != 0) before = COMBINE(before, state.rows);
  return before;
}

// Part line_tile_total: the total of a tile of a line.
// Provides: line_tile_total
// Uses: line_slots

// The total of a tile whose last row, or the last with an element, is row `number`.
DEVICE ACC tile_of_state(LineState state, u32 number) {
  if (number % WARP_TILE_ROWS == WARP_TILE_ROWS - 1) return state.warp_tiles;
  if (number < WARP_TILE_ROWS) return state.rows;
  return COMBINE(state.warp_tiles, state.rows);
}
