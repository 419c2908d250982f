// Part ring_lookback_tiles: the look-back of a ring by one warp. For each of the group's tiles it
// reads the totals of all tiles since the group's previous one. It keeps the prefix of the previous
// tile's supertile.
// Provides: ring_lookback
// Uses: order_lanes, tile_words, order_words, bulk_copies, order_ring, ring_warp_tiles,
//   published_supertiles, lane_index, lane_barrier, published_prefixes

#ifndef FAR_SUPERTILES
#define FAR_SUPERTILES \
  64  // Supertiles since the last tile beyond which a published prefix is sought.
#endif

// Computes and publishes the total of a tile whose group has not published it.
DEVICE void install_total(__global u64* words, u64 tile, u32 epoch, Elements input) {
  ACC value;
  if (try_read(words, tile, epoch, &value) == STATE_EMPTY) {
    publish(words, tile, epoch, STATE_AGGREGATE, await_total(words, tile, epoch, input));
  }
}

// The tile whose total this lane reads for supertile `first` + `position`, one of those before the
// tile's own. The own supertile comes last, at position WARP_TILE_ROWS. The tile itself where there
// is none.
DEVICE u64 tile_needed(u64 tile, u64 supertile, u64 first, u32 position) {
  const u64 of =
      (position == WARP_TILE_ROWS ? supertile : first + position) * SUPERTILE_TILES + lane_index();
  return of < tile && (position == WARP_TILE_ROWS || first + position < supertile) ? of : tile;
}

// Finds the prefix of each tile from the published totals. It keeps the prefix of the last
// supertile that it met, and goes on from there.
DEVICE void look_back_of(u32 looker, Elements input, ACC init, __global u64* words,
                         __global u64* supertile_words, u64 tiles, __local Ring* ring,
                         __local LaneScratch* scratch) {
  Turn turn = first_turn();
  u64 known = 0;
  ACC before_supertile = init;
  for (;;) {
    // --- Wait for a tile with a published total ---
    mbarrier_wait(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u32 epoch = ring->epoch;
    const u64 supertile = tile / SUPERTILE_TILES;
    const u32 position = (u32)(tile % SUPERTILE_TILES);
    // --- Fold the totals since the last tile of this group ---
    if (supertile > known + FAR_SUPERTILES) {
      skip_supertiles(supertile_words, supertile, epoch, &known, &before_supertile, scratch);
    }
    ACC total[WARP_TILE_ROWS + 1];
    do {
      bool all = false;
      while (!all) {
        u32 spins = 0;
        do {
          all = true;
#pragma unroll
          for (u32 g = 0; g <= WARP_TILE_ROWS; ++g) {
            const u64 of = tile_needed(tile, supertile, known, g);
            all = try_read(words, of, epoch, &total[g]) != STATE_EMPTY && all;
          }
        } while (!all && ++spins < SPIN_LIMIT);
        if (!all) {
#pragma unroll 1
          for (u32 g = 0; g <= WARP_TILE_ROWS; ++g) {
            install_total(words, tile_needed(tile, supertile, known, g), epoch, input);
          }
        }
      }
      lane_barrier();
      const ACC sum = total_rows(total, scratch);
#pragma unroll
      for (u32 g = 0; g < WARP_TILE_ROWS; ++g) {
        const ACC next = lane_value(sum, g, scratch);
        if (known + g < supertile) before_supertile = COMBINE(before_supertile, next);
      }
      known = known + WARP_TILE_ROWS < supertile ? known + WARP_TILE_ROWS : supertile;
    } while (known < supertile);

    const ACC prefix = lane_prefix(total[WARP_TILE_ROWS], scratch);
    const ACC before_tile = lane_value(prefix, position == 0 ? 0 : position - 1, scratch);
    const ACC through_tile = lane_value(prefix, position, scratch);
    // --- Tell the scanners ---
    if (lane_index() == 0) {
      ring->before_supertile[turn.slot] = before_supertile;
      ring->before_tile[turn.slot] = before_tile;
      ring->through_tile[turn.slot] = through_tile;
    }
    mbarrier_arrive(&ring->looked_back[turn.slot]);
    if (lane_index() == 0 && publishes_prefix(supertile, position)) {
      publish(supertile_words, supertile + 1, epoch, STATE_INCLUSIVE,
              COMBINE(before_supertile, through_tile));
    }
    next_turn(&turn);
  }
}

// Part ring_lookback_supertiles: the look-back of a ring through the totals of supertiles, by two
// warps that run independently. It reads the fewest words: one for each tile of the own supertile,
// and one for each supertile before.
// Provides: ring_lookback
// Uses: order_lanes, tile_words, order_words, bulk_copies, order_ring, lane_index, lane_highest,
//   lane_barrier

// How many tiles a look-back warp runs ahead of the tiles that have been scanned: the warp that
// reads tiles of the own supertile, and the warp that reads supertiles. The tuning parameters call
// a supertile a group.
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
#define GROUP_POLLS 64  // Polls of a supertile's total before it is computed from its tiles'.
#endif
#ifndef ASKED_AHEAD
#define ASKED_AHEAD 0  // First tiles that also read totals of later supertiles.
#endif
#ifndef ASKS_FOR_NEXT
#define ASKS_FOR_NEXT 0  // Whether later tiles also read what the next tile needs.
#endif

// The total of a full supertile, computed from its tiles' totals; known to every lane.
DEVICE ACC total_supertile(const __global u64* words, u64 supertile, u32 epoch, Elements input,
                           __local LaneScratch* scratch) {
  const ACC total = await_total(words, supertile * SUPERTILE_TILES + lane_index(), epoch, input);
  lane_barrier();
  return lane_value(lane_prefix(total, scratch), LANES - 1, scratch);
}

// Keeps a look-back warp at most `most` tiles ahead of the tiles that leave the ring. What it reads
// then has been published by now. Polling for what is not there yet would slow down its
// publication.
DEVICE void keep_distance(__local Ring* ring, Turn* scanned, u32* ahead, u32 most) {
  if (++*ahead > most) {
    mbarrier_wait(&ring->read[scanned->stage], scanned->stage_parity);
    next_turn(scanned);
  }
}

// Finds the prefix of each tile within its supertile. The last tile of a supertile publishes the
// supertile's total, so that others read one word instead of 32.
DEVICE void look_back_in_supertile(Elements input, __global u64* words,
                                   __global u64* supertile_words, __local Ring* ring,
                                   __local LaneScratch* scratch) {
  Turn turn = first_turn();
  Turn scanned = first_turn();
  u32 ahead = 0;
  for (;;) {
    // --- Wait for a tile with a published total ---
    mbarrier_wait(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    keep_distance(ring, &scanned, &ahead, LOOKBACK_DISTANCE_TILES);
    const u32 epoch = ring->epoch;
    const u64 supertile = tile / SUPERTILE_TILES;
    const u32 position = (u32)(tile % SUPERTILE_TILES);
    // --- Fold the totals before it in its supertile ---
    const u64 own = supertile * SUPERTILE_TILES + lane_index();
    const ACC total = await_total(words, own < tile ? own : tile, epoch, input);
    lane_barrier();
    const ACC prefix = lane_prefix(total, scratch);
    const ACC before_tile = lane_value(prefix, position == 0 ? 0 : position - 1, scratch);
    const ACC through_tile = lane_value(prefix, position, scratch);
    // --- Tell the scanners ---
    if (lane_index() == 0) {
      if (position == SUPERTILE_TILES - 1) {
        publish(supertile_words, supertile, epoch, STATE_AGGREGATE, through_tile);
      }
      ring->before_tile[turn.slot] = before_tile;
      ring->through_tile[turn.slot] = through_tile;
    }
    mbarrier_arrive(&ring->looked_back[turn.slot]);
    next_turn(&turn);
  }
}

// The supertile of this group's next tile, once that tile has been published; `supertile` where
// there is none.
DEVICE u64 next_supertile(__local Ring* ring, Turn turn, u64 supertile) {
  next_turn(&turn);
  mbarrier_wait(&ring->published[turn.slot], turn.slot_parity);
  const u64 tile = ring->tile[turn.slot];
  return tile == NO_TILE ? supertile : tile / SUPERTILE_TILES;
}

// Finds the prefix of each tile's supertile: it starts from the previous tile's prefix and folds
// the totals of the supertiles since, which the lanes read, one each. A total that is not published
// in time is computed here.
// During start-up the first ASKED_AHEAD tiles also read totals of later supertiles with idle lanes,
// which may spare the next tiles a read. Afterwards that would be slower. With ASKS_FOR_NEXT, later
// tiles also read the totals that this group's next tile needs.
DEVICE void look_back_over_supertiles(Elements input, ACC init, const __global u64* words,
                                      const __global u64* supertile_words, u64 tiles,
                                      __local Ring* ring, __local LaneScratch* scratch) {
  Turn turn = first_turn();
  Turn scanned = first_turn();
  u32 ahead = 0;
  u64 known = 0;
  u64 asked = 0;  // The first supertile of those whose totals the lanes have or want.
  ACC total = IDENTITY;
  bool there = false;
  ACC before_supertile = init;
  for (;;) {
    // --- Wait for a tile with a published total ---
    mbarrier_wait(&ring->published[turn.slot], turn.slot_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    keep_distance(ring, &scanned, &ahead, LOOKBACK_DISTANCE_GROUPS);
    const u32 epoch = ring->epoch;
    const u64 supertile = tile / SUPERTILE_TILES;
    // --- Fold the totals of the supertiles before its own ---
    while (known < supertile) {
      u32 begin = (u32)(known - asked);
      u32 end = supertile - asked < LANES ? (u32)(supertile - asked) : LANES;
      const bool needed = lane_index() >= begin && lane_index() < end;
      if (begin == LANES || lane_highest(needed && !there, scratch) >= 0) {
        asked = known;
        begin = 0;
        end = supertile - asked < LANES ? (u32)(supertile - asked) : LANES;
        const bool for_next = ASKS_FOR_NEXT ? ahead > ASKED_AHEAD : false;
        const u64 last = for_next ? next_supertile(ring, turn, supertile) : supertile;
        const u32 wanted = last - asked < LANES ? (u32)(last - asked) : LANES;
        there = false;
        const u64 mine = asked + lane_index();
        const bool asks_ahead = ahead <= ASKED_AHEAD && mine < tiles / SUPERTILE_TILES;
        const u32 polls = lane_index() < wanted ? GROUP_POLLS : asks_ahead ? 1 : 0;
        for (u32 poll = 0; !there && poll < polls; ++poll) {
          there = try_read(supertile_words, mine, epoch, &total) != STATE_EMPTY;
        }
        lane_barrier();
        const bool asks = lane_index() < wanted;
        for (i32 missing = lane_highest(asks && !there, scratch); missing >= 0;
             missing = lane_highest(asks && !there, scratch)) {
          const ACC found = total_supertile(words, asked + (u32)missing, epoch, input, scratch);
          if (lane_index() == (u32)missing) {
            total = found;
            there = true;
          }
        }
      }
#pragma unroll
      for (u32 g = 0; g < 8; ++g) {
        const ACC next = lane_value(total, (begin + g) % LANES, scratch);
        if (begin + g < end) before_supertile = COMBINE(before_supertile, next);
      }
      for (u32 g = begin + 8; g < end; ++g) {
        before_supertile = COMBINE(before_supertile, lane_value(total, g, scratch));
      }
      known = asked + end;
    }
    // --- Tell the scanners ---
    if (lane_index() == 0) ring->before_supertile[turn.slot] = before_supertile;
    mbarrier_arrive(&ring->looked_back[turn.slot]);
    next_turn(&turn);
  }
}

// Finds the prefixes of the tiles that this group draws. `looker` is the index of the look-back
// warp.
DEVICE void look_back_of(u32 looker, Elements input, ACC init, __global u64* words,
                         __global u64* supertile_words, u64 tiles, __local Ring* ring,
                         __local LaneScratch* scratch) {
  if (looker == 0) {
    look_back_in_supertile(input, words, supertile_words, ring, scratch);
  } else {
    look_back_over_supertiles(input, init, words, supertile_words, tiles, ring, scratch);
  }
}
