// Prelude: tiles of a single-pass scan are the groups' indices, where groups start in that order.
// The ticket counts who has started, brings the epoch, and is on its way while the tile is loaded.
// If an earlier group should start later all the same, its tile stays missing and is reduced by who
// waits.

// The ticket of the group, which its first work-item has.
DEVICE u64 draw_ticket(u64* control, u64* drawn) {
  return threadIdx.x == 0 ? add_word(control, 1) : 0;
}

DEVICE u64 tile_of(u64 ticket) { return blockIdx.x; }

// The epoch of the call, known to the first lane group.
DEVICE u32 epoch_drawn(u64 ticket) { return shuffle_word(epoch_of(ticket), 0); }
