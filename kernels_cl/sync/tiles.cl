// Part tiles: the tiles of a single-pass scan, one of which a group has.
// Provides: tiles

// The tile of a group. One beyond n, of a launch for more elements than there are, has no element;
// who has it looks at no predecessor and publishes nothing.
typedef struct {
  u64 tile;
  u64 predecessors;  // Tiles before it.
  bool valid;        // It has elements.
  bool last;         // It has the last element; of no elements, the first tile has.
} Draw;

DEVICE Draw tile_at(u64 tile, u64 n) {
  Draw draw;
  draw.tile = tile;
  const u64 begin = tile * TILE;
  draw.valid = begin < n;
  draw.last = (draw.valid || tile == 0) && n <= begin + TILE;
  draw.predecessors = draw.valid ? tile : 0;
  return draw;
}

// Part tiles_drawn:
// tiles of a single-pass scan are tickets that running groups draw: so a tile waits only
// for groups that have started, in whatever order groups start.
// Provides: tiles_taken
// Uses: atomics, tile_words

// The ticket of the group. Ends with a barrier.
DEVICE u64 draw_ticket(__global u64* control, __local u64* drawn) {
  if (get_local_id(0) == 0) *drawn = add_word(control, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *drawn;
}

DEVICE u64 tile_of(u64 ticket) { return ticket_of(ticket); }

// The epoch of the call, known to the first lane group.
DEVICE u32 epoch_drawn(u64 ticket) { return epoch_of(ticket); }

// Part tiles_indexed:
// tiles of a single-pass scan are the groups' indices, where groups start in that order.
// The ticket counts who has started, brings the epoch, and is on its way while the tile is loaded.
// If an earlier group should start later all the same, its tile stays missing and is reduced by who
// waits.
// Provides: tiles_taken
// Uses: lanes, atomics, tile_words

// The ticket of the group, which its first work-item has.
DEVICE u64 draw_ticket(__global u64* control, __local u64* drawn) {
  return get_local_id(0) == 0 ? add_word(control, 1) : 0;
}

DEVICE u64 tile_of(u64 ticket) { return get_group_id(0); }

// The epoch of the call, known to the first lane group.
DEVICE u32 epoch_drawn(u64 ticket) { return shuffle_word(epoch_of(ticket), 0); }

// Part missing_tile: the total of a tile that stays missing, by who waits for it.
// Provides: missing_tile
// Uses: atomics, tile_words

// As inspect, for a tile whose words stayed empty: its elements from `first` on are reduced here.
// In place its owner may be overwriting them by now; but an owner publishes, behind a fence, before
// it stores, so when the words are still empty afterwards the elements read were the input's.
DEVICE u32 reduce_missing(const __global u64* words, u64 tile, u32 epoch, const __global IN* input,
                          u64 first, ACC* value) {
  ACC sum = IDENTITY;
  for (u64 i = tile == 0 ? first : tile * TILE; i < (tile + 1) * TILE; ++i) {
    sum = COMBINE(sum, LIFT(input[i]));
  }
  device_fence();
  const u32 state = inspect(words, tile, epoch, value);
  if (state != STATE_EMPTY) return state;
  *value = sum;
  return STATE_AGGREGATE;
}
