// Part ring_lookback_tiles:
// the look-back of a ring by one lane group that reads the totals of all tiles since the
// group's last one, and keeps what lay before that one's group of tiles.
// Provides: ring_lookback
// Uses: order_lanes, tile_words, order_words, bulk_copies, order_ring, ring_strips,
//   published_groups

#ifndef FAR_GROUPS
#define FAR_GROUPS 64  // Groups since the last tile beyond which a published prefix is looked for.
#endif

// Publishes the total of a tile in the place of a group that has not.
DEVICE void install_total(__global u64* words, u64 tile, u32 epoch, Elements input) {
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
DEVICE void look_back_of(u32 looker, Elements input, ACC init, __global u64* words,
                         __global u64* group_words, u64 tiles, __local Ring* ring,
                         __local LaneScratch* scratch) {
  Turn turn = first_turn();
  u64 known = 0;
  ACC groups = init;
  for (;;) {
    // --- Wait for a tile with a published total ---
    await(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u32 epoch = ring->epoch;
    const u64 group = tile / GROUP_TILES;
    const u32 place = (u32)(tile % GROUP_TILES);
    // --- Fold the totals since the last tile of this group ---
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
    // --- Tell the scanners ---
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

// Part ring_lookback_groups:
// the look-back of a ring through totals of groups of tiles, by two lane groups that take
// no notice of each other. It reads least, a word per tile of the own group and per group before.
// Provides: ring_lookback
// Uses: order_lanes, tile_words, order_words, bulk_copies, order_ring

// Tiles from one that has been scanned to one that is looked back from: among the tiles of its
// group, and among the groups before.
#ifndef LOOKBACK_DISTANCE_TILES
#define LOOKBACK_DISTANCE_TILES 3
#endif
#ifndef LOOKBACK_DISTANCE_GROUPS
#define LOOKBACK_DISTANCE_GROUPS 2
#endif
#if LOOKBACK_DISTANCE_TILES >= STAGES || LOOKBACK_DISTANCE_GROUPS >= STAGES
#error "a look-back that trails by as many tiles as there are stages takes a later tile for its own"
#endif
#ifndef GROUP_POLLS
#define GROUP_POLLS 64  // Polls of a group's total before it is computed from its tiles' totals.
#endif
#ifndef ASKED_AHEAD
#define ASKED_AHEAD 0  // Tiles at the beginning that ask for the groups behind their own, too.
#endif
#ifndef ASKS_FOR_NEXT
#define ASKS_FOR_NEXT 0  // Whether later tiles ask for the groups before the next tile, too.
#endif

// The total of a full group of tiles from theirs, known to every lane.
DEVICE ACC total_group(const __global u64* words, u64 group, u32 epoch, Elements input,
                       __local LaneScratch* scratch) {
  const ACC total = await_total(words, group * GROUP_TILES + lane_index(), epoch, input);
  lane_barrier();
  return lane_value(lane_prefix(total, scratch), LANES - 1, scratch);
}

// Who looks back goes `most` tiles ahead of those that leave the ring: what it reads by then has
// been published meanwhile, while polls for what has not would slow down publishing it.
DEVICE void trail(__local Ring* ring, Turn* scanned, u32* ahead, u32 most) {
  if (++*ahead > most) {
    await(&ring->read[scanned->stage], scanned->stage_parity);
    next_turn(scanned);
  }
}

// Finds what lies before each tile in its group from the totals of the tiles there. The last tile
// of a group publishes the group's total, which spares others reading 32.
DEVICE void look_back_in_group(Elements input, __global u64* words, __global u64* group_words,
                               __local Ring* ring, __local LaneScratch* scratch) {
  Turn turn = first_turn();
  Turn scanned = first_turn();
  u32 ahead = 0;
  for (;;) {
    // --- Wait for a tile with a published total ---
    await(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    trail(ring, &scanned, &ahead, LOOKBACK_DISTANCE_TILES);
    const u32 epoch = ring->epoch;
    const u64 group = tile / GROUP_TILES;
    const u32 place = (u32)(tile % GROUP_TILES);
    // --- Fold the totals before it in its group ---
    const u64 own = group * GROUP_TILES + lane_index();
    const ACC total = await_total(words, own < tile ? own : tile, epoch, input);
    lane_barrier();
    const ACC prefix = lane_prefix(total, scratch);
    const ACC earlier = lane_value(prefix, place == 0 ? 0 : place - 1, scratch);
    const ACC with_own = lane_value(prefix, place, scratch);
    // --- Tell the scanners ---
    if (lane_index() == 0) {
      if (place == GROUP_TILES - 1) {
        publish(group_words, group, epoch, STATE_AGGREGATE, with_own);
      }
      ring->earlier[turn.slot] = earlier;
      ring->with_own[turn.slot] = with_own;
    }
    arrive(&ring->looked_back[turn.slot]);
    next_turn(&turn);
  }
}

// The group of the tile behind the one whose turn it is, once that has been published; where there
// is none, `group`.
DEVICE u64 next_group(__local Ring* ring, Turn turn, u64 group) {
  next_turn(&turn);
  await(&ring->published[turn.slot], turn.slot_parity);
  const u64 tile = ring->tile[turn.slot];
  return tile == NO_TILE ? group : tile / GROUP_TILES;
}

// Finds what lies before each tile's group: goes on from what lay before the last tile's group,
// with the totals of the groups since, a lane each. What is not published in time is computed here.
// The first tiles come together, and so do their groups' totals: lanes that this tile has no use
// for ask for those behind its own, which may spare the next ones asking. Later that is slower, but
// for the next tile's, which are waited for as its own are.
DEVICE void look_back_of_groups(Elements input, ACC init, const __global u64* words,
                                const __global u64* group_words, u64 tiles, __local Ring* ring,
                                __local LaneScratch* scratch) {
  Turn turn = first_turn();
  Turn scanned = first_turn();
  u32 ahead = 0;
  u64 known = 0;
  u64 asked = 0;  // The first of the groups whose totals lanes have, where they are there.
  ACC total = IDENTITY;
  bool there = false;
  ACC groups = init;
  for (;;) {
    // --- Wait for a tile with a published total ---
    await(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    trail(ring, &scanned, &ahead, LOOKBACK_DISTANCE_GROUPS);
    const u32 epoch = ring->epoch;
    const u64 group = tile / GROUP_TILES;
    // --- Fold the totals of the groups before its own ---
    while (known < group) {
      u32 begin = (u32)(known - asked);
      u32 end = group - asked < LANES ? (u32)(group - asked) : LANES;
      const bool needed = lane_index() >= begin && lane_index() < end;
      if (begin == LANES || lane_highest(needed && !there, scratch) >= 0) {
        asked = known;
        begin = 0;
        end = group - asked < LANES ? (u32)(group - asked) : LANES;
        const bool for_next = ASKS_FOR_NEXT ? ahead > ASKED_AHEAD : false;
        const u64 last = for_next ? next_group(ring, turn, group) : group;
        const u32 wanted = last - asked < LANES ? (u32)(last - asked) : LANES;
        there = false;
        const u64 mine = asked + lane_index();
        const bool early = ahead <= ASKED_AHEAD && mine < tiles / GROUP_TILES;
        const u32 polls = lane_index() < wanted ? GROUP_POLLS : early ? 1 : 0;
        for (u32 poll = 0; !there && poll < polls; ++poll) {
          there = inspect(group_words, mine, epoch, &total) != STATE_EMPTY;
        }
        lane_barrier();
        const bool asks = lane_index() < wanted;
        for (i32 missing = lane_highest(asks && !there, scratch); missing >= 0;
             missing = lane_highest(asks && !there, scratch)) {
          const ACC found = total_group(words, asked + (u32)missing, epoch, input, scratch);
          if (lane_index() == (u32)missing) {
            total = found;
            there = true;
          }
        }
      }
#pragma unroll
      for (u32 g = 0; g < 8; ++g) {
        const ACC next = lane_value(total, (begin + g) % LANES, scratch);
        if (begin + g < end) groups = COMBINE(groups, next);
      }
      for (u32 g = begin + 8; g < end; ++g) {
        groups = COMBINE(groups, lane_value(total, g, scratch));
      }
      known = asked + end;
    }
    // --- Tell the scanners ---
    if (lane_index() == 0) ring->groups[turn.slot] = groups;
    arrive(&ring->looked_back[turn.slot]);
    next_turn(&turn);
  }
}

// Finds what lies before the tiles that this group draws; `looker` counts lane groups that do.
DEVICE void look_back_of(u32 looker, Elements input, ACC init, __global u64* words,
                         __global u64* group_words, u64 tiles, __local Ring* ring,
                         __local LaneScratch* scratch) {
  if (looker == 0) {
    look_back_in_group(input, words, group_words, ring, scratch);
  } else {
    look_back_of_groups(input, init, words, group_words, tiles, ring, scratch);
  }
}
