// Prelude: tiles of a single-pass scan are tickets that running groups draw: so a tile waits only
// for groups that have started, in whatever order groups start.

// The ticket of the group. Ends with a barrier.
DEVICE u64 draw_ticket(__global u64* control, __local u64* drawn) {
  if (get_local_id(0) == 0) *drawn = add_word(control, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *drawn;
}

DEVICE u64 tile_of(u64 ticket) { return ticket_of(ticket); }

// The epoch of the call, known to the first lane group.
DEVICE u32 epoch_drawn(u64 ticket) { return epoch_of(ticket); }
