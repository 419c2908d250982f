// Prelude: the total of a tile that stays missing, by who waits for it.

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
