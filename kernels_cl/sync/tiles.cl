// Part tiles: the tiles of a single-pass scan. A group has one of them.
// Provides: tiles

// The tile of a group. A launch may be made for more elements than there are: a tile beyond n has
// no elements, reads no predecessors and publishes nothing.
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

// Part tiles_drawn: tiles of a single-pass scan are tickets that running groups draw. So a tile
// waits only for groups that have started, in whatever order groups start.
// Provides: tiles_taken
// Uses: atomics, tile_words

// The ticket of the group. Ends with a barrier.
DEVICE u64 draw_ticket(__global u64* control, __local u64* drawn) {
  if (get_local_id(0) == 0) *drawn = add_word(control, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *drawn;
}

DEVICE u64 tile_of(u64 ticket) { return ticket_of(ticket); }

// Part tile_epoch_drawn: the epoch of the call, which the first warp asks for.
// Provides: tile_epoch
// Uses: tiles_drawn

// The epoch of the call, known to the first warp.
DEVICE u32 epoch_drawn(u64 ticket) { return epoch_of(ticket); }

// Part tiles_indexed: tiles of a single-pass scan are the groups' indices, where groups start in
// that order. The ticket counts the groups that have started and brings the epoch; it arrives while
// the tile is loaded. If an earlier group starts later all the same, its tile stays missing and is
// reduced by the group that waits.
// Provides: tiles_taken
// Uses: atomics, tile_words

// The ticket of the group, which its first work-item has.
DEVICE u64 draw_ticket(__global u64* control, __local u64* drawn) {
  return get_local_id(0) == 0 ? add_word(control, 1) : 0;
}

DEVICE u64 tile_of(u64 ticket) { return get_group_id(0); }

// Part tile_epoch_indexed: the epoch of the call, which the first warp asks for.
// Provides: tile_epoch
// Uses: tiles_indexed, shuffle_word

// The epoch of the call, known to the first warp.
DEVICE u32 epoch_drawn(u64 ticket) { return shuffle_word(epoch_of(ticket), 0); }

// Part missing_tile: the total of a missing tile, computed by the group that waits for it.
// Provides: missing_tile
// Uses: tile_words, device_fence

// As try_read, for a tile whose words stayed empty: its elements from `first` on are reduced here.
// In place, the tile's owner may be overwriting them. But the owner publishes before it stores,
// with a fence between. So if the words are still empty afterwards, the elements that were read are
// the input's.
DEVICE u32 reduce_missing(const __global u64* words, u64 tile, u32 epoch, const __global IN* input,
                          u64 first, ACC* value) {
  ACC sum = IDENTITY;
  for (u64 i = tile == 0 ? first : tile * TILE; i < (tile + 1) * TILE; ++i) {
    sum = COMBINE(sum, LIFT(input[i]));
  }
  device_fence();
  const u32 state = try_read(words, tile, epoch, value);
  if (state != STATE_EMPTY) return state;
  *value = sum;
  return STATE_AGGREGATE;
}
