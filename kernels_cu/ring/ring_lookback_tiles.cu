// Prelude: the look-back of a ring by one lane group that reads the totals of all tiles since the
// group's last one, and keeps what lay before that one's group of tiles.

#ifndef FAR_GROUPS
#define FAR_GROUPS 64  // Groups since the last tile beyond which a published prefix is looked for.
#endif

// Publishes the total of a tile in the place of a group that has not.
DEVICE void install_total(u64* words, u64 tile, u32 epoch, Elements input) {
  ACC value;
  if (inspect(words, tile, epoch, &value) == STATE_EMPTY) {
    publish(words, tile, epoch, STATE_AGGREGATE, await_total(words, tile, epoch, input));
  }
}

// The tile whose total this lane needs of group `first` + `place`, one of those before the tile's
// own `group`, which comes behind the others; the tile itself where there is none.
DEVICE u64 tile_needed(u64 tile, u64 group, u64 first, u32 place) {
  const u64 of = (place == STRIP_ROWS ? group : first + place) * GROUP_TILES + lane_index();
  return of < tile && (place == STRIP_ROWS || first + place < group) ? of : tile;
}

// Finds what lies before each tile from the totals that were published. Of groups, it keeps the
// prefix of the last one that it met, and goes on from there.
DEVICE void look_back_of(u32 looker, Elements input, ACC init, u64* words, u64* group_words,
                         u64 tiles, Ring* ring, LaneScratch* scratch) {
  Turn turn = first_turn();
  u64 known = 0;
  ACC groups = init;
  for (;;) {
    await(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u32 epoch = ring->epoch;
    const u64 group = tile / GROUP_TILES;
    const u32 place = (u32)(tile % GROUP_TILES);
    if (group > known + FAR_GROUPS) {
      skip_groups(group_words, group, epoch, &known, &groups, scratch);
    }
    ACC total[STRIP_ROWS + 1];
    do {
      bool all = false;
      while (!all) {
        u32 spins = 0;
        do {
          all = true;
#pragma unroll
          for (u32 g = 0; g <= STRIP_ROWS; ++g) {
            const u64 of = tile_needed(tile, group, known, g);
            all = inspect(words, of, epoch, &total[g]) != STATE_EMPTY && all;
          }
        } while (!all && ++spins < SPIN_LIMIT);
        if (!all) {
#pragma unroll 1
          for (u32 g = 0; g <= STRIP_ROWS; ++g) {
            install_total(words, tile_needed(tile, group, known, g), epoch, input);
          }
        }
      }
      lane_barrier();
      const ACC sum = total_rows(total, scratch);
#pragma unroll
      for (u32 g = 0; g < STRIP_ROWS; ++g) {
        const ACC next = lane_value(sum, g, scratch);
        if (known + g < group) groups = COMBINE(groups, next);
      }
      known = known + STRIP_ROWS < group ? known + STRIP_ROWS : group;
    } while (known < group);

    const ACC prefix = lane_prefix(total[STRIP_ROWS], scratch);
    const ACC earlier = lane_value(prefix, place == 0 ? 0 : place - 1, scratch);
    const ACC with_own = lane_value(prefix, place, scratch);
    if (lane_index() == 0) {
      ring->groups[turn.slot] = groups;
      ring->earlier[turn.slot] = earlier;
      ring->with_own[turn.slot] = with_own;
    }
    arrive(&ring->looked_back[turn.slot]);
    if (lane_index() == 0 && publishes_prefix(group, place)) {
      publish(group_words, group + 1, epoch, STATE_INCLUSIVE, COMBINE(groups, with_own));
    }
    next_turn(&turn);
  }
}
