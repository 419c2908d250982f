// Part order_words:
// the totals that tiles of a single-pass scan in order v1 read from each other's words.
// Provides: order_words
// Uses: elements, atomics, tile_words

#ifndef PUBLISHED_EVERY
#define PUBLISHED_EVERY 1  // Groups from one whose prefix is published to the next.
#endif

// Whether the tile at `place` of `group` publishes what lies before the next group.
DEVICE bool publishes_prefix(u64 group, u32 place) {
  return place == GROUP_TILES - 1 && (group + 1) % PUBLISHED_EVERY == 0;
}

// The fold of `count` elements, by one work-item.
DEVICE ACC fold_alone(Elements input, u64 begin, u32 count) {
  ACC fold = lift_element(load_element(input, begin), begin);
#pragma unroll 1
  for (u32 i = 1; i < count; ++i) {
    const ACC later = lift_element(load_element(input, begin + i), begin + i);
    fold = COMBINE(fold, later);
  }
  return fold;
}

// The total of a full tile by one work-item, in the tile's order, if runs are as short as order v1
// has them; no order shows where they are longer.
DEVICE ACC reduce_tile_alone(Elements input, u64 begin) {
  if (RUN != ORDER_RUN) return fold_alone(input, begin, TILE);
  ACC tile;
#pragma unroll 1
  for (u32 s = 0; s < TILE_STRIPS; ++s) {
    ACC strip;
#pragma unroll 1
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      // Of another length than a strip's arrays: compilers that give arrays of one type a place in
      // common would keep those in memory, too, for the sake of this one.
      ACC run[ROW_RUNS + 1];
#pragma unroll 1
      for (u32 l = 0; l < ROW_RUNS; ++l) {
        run[l] = fold_alone(input, begin, RUN);
        begin += RUN;
      }
      // The last prefix of as many runs is their binary tree.
#pragma unroll 1
      for (u32 width = ROW_RUNS / 2; width > 0; width /= 2) {
#pragma unroll 1
        for (u32 l = 0; l < width; ++l) run[l] = COMBINE(run[2 * l], run[2 * l + 1]);
      }
      strip = r == 0 ? run[0] : COMBINE(strip, run[0]);
    }
    tile = s == 0 ? strip : COMBINE(tile, strip);
  }
  return tile;
}

// The total of `tile`, waited for; reduced here where it stays missing, as only a full tile may. In
// place its owner may be overwriting the tile by now; but an owner publishes, behind a fence,
// before it stores, so when the words are still empty afterwards the elements read were the
// input's.
DEVICE ACC await_total(const u64* words, u64 tile, u32 epoch, Elements input) {
  ACC value;
  u32 spins = 0;
  do {
    if (inspect(words, tile, epoch, &value) != STATE_EMPTY) return value;
  } while (++spins < SPIN_LIMIT);
  const ACC total = reduce_tile_alone(input, tile * TILE);
  device_fence();
  return inspect(words, tile, epoch, &value) != STATE_EMPTY ? value : total;
}
