// Prelude: a ring of tiles of order v1 in local memory, and what the roles of a group do with it.

#ifndef STAGES
#define STAGES 6  // Tiles in local memory.
#endif
#ifndef REDUCING
#define REDUCING 8  // Lane groups that reduce tiles.
#endif
#ifndef LOOKING
#define LOOKING 1  // Lane groups that look back.
#endif

// The scanning lane groups have a strip each. A tile may start at any element of its first unit of
// 16 bytes, so a stage has room for one more, and for what keeps the next one aligned.
#define SCANNING TILE_STRIPS
#define LOOKER (REDUCING + SCANNING)
#define LOADER (LOOKER + LOOKING)
#define UNIT_BYTES 16
#define STAGE_UNITS (TILE * sizeof(IN) / UNIT_BYTES + 8)
#define SLOTS (STAGES + 1)
#define REDUCED_EACH (TILE_STRIPS / REDUCING)
#if TILE_STRIPS % REDUCING != 0 || GROUP_SIZE != LANES * (REDUCING + TILE_STRIPS + LOOKING + 1)
#error "every reducing lane group has as many strips, and every role its lane groups"
#endif
typedef char ring_run_fits[RUN * sizeof(IN) == UNIT_BYTES ? 1 : -1];

#define NO_TILE (~(u64)0)

// A run as it lies in a stage.
typedef struct {
  u32 word[UNIT_BYTES / 4];
} Unit;

// What the roles tell each other. A stage is free again as soon as it has been read, while what is
// known of its tile is still needed: so there is one slot more than stages.
typedef struct {
  Signal landed[STAGES];      // The tile is in the stage.
  Signal read[STAGES];        // It is in registers, reduced and to be scanned.
  Signal reduced[SLOTS];      // The totals of its strips are there,
  Signal published[SLOTS];    // then they are folded from left to right, and the last is published,
  Signal looked_back[SLOTS];  // and what lies before the tile is known, too.
  u64 tile[SLOTS];
  u32 epoch;
  ACC strips[SLOTS][TILE_STRIPS];
  ACC groups[SLOTS];    // Before the tile's group,
  ACC earlier[SLOTS];   // before the tile in its group,
  ACC with_own[SLOTS];  // and that with the tile.
} Ring;

// A role's next tile: its stage and slot, and the parities of their phases.
typedef struct {
  u32 stage;
  u32 stage_parity;
  u32 slot;
  u32 slot_parity;
} Turn;

DEVICE Turn first_turn() {
  Turn turn = {0, 0, 0, 0};
  return turn;
}

DEVICE void next_turn(Turn* turn) {
  if (++turn->stage == STAGES) {
    turn->stage = 0;
    turn->stage_parity ^= 1;
  }
  if (++turn->slot == SLOTS) {
    turn->slot = 0;
    turn->slot_parity ^= 1;
  }
}

// By all work-items. Ends with a barrier.
DEVICE void make_ring(Ring* ring) {
  if (threadIdx.x == 0) {
    for (u32 s = 0; s < STAGES; ++s) {
      make_signal(&ring->landed[s], 1);
      make_signal(&ring->read[s], REDUCING + SCANNING);
    }
    for (u32 s = 0; s < SLOTS; ++s) {
      make_signal(&ring->reduced[s], REDUCING);
      make_signal(&ring->published[s], 1);
      make_signal(&ring->looked_back[s], LOOKING);
    }
    order_copies();
  }
  __syncthreads();
}

// --- Loader ---

// Brings a tile's elements into a stage. Copies move whole units: where one at either end reaches
// beyond the input, its elements are loaded one by one. So are all of a struct that no unit is made
// of, being less aligned than it is long.
DEVICE void load_stage(Elements input, u64 n, u64 begin, uint4* stage, Signal* landed) {
  const u64 first = (u64)(input + begin);
  const u64 end = begin + TILE < n ? first + TILE * sizeof(IN) : (u64)(input + n);
  const u64 start = first / UNIT_BYTES * UNIT_BYTES;
  u64 low = start;
  u64 high = (end + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  if (low < (u64)input) low += UNIT_BYTES;
  if (high > (u64)(input + n)) high -= UNIT_BYTES;
  if (first % sizeof(IN) != 0 || high < low) {
    low = start;
    high = start;
  }
  const u32 bytes = (u32)(high - low);
  if (low > first || high < end) {
    const u64 skew = first % sizeof(IN) != 0 ? 0 : first - start;
    IN* item = (IN*)((u8*)stage + skew);
    const u64 step = LANES * sizeof(IN);
    for (u64 at = first + lane_index() * sizeof(IN); at < low && at < end; at += step) {
      item[(at - first) / sizeof(IN)] = *(const IN*)at;
    }
    for (u64 at = (high > first ? high : first) + lane_index() * sizeof(IN); at < end; at += step) {
      item[(at - first) / sizeof(IN)] = *(const IN*)at;
    }
    order_copies();
    lane_barrier();
  }
  if (lane_index() == 0) {
    if (bytes > 0) {
      arrive_expecting(landed, bytes);
      copy_in((u8*)stage + (low - start), (const void*)low, bytes, landed);
    } else {
      arrive(landed);
    }
  }
}

// Draws tiles in order and brings them into the stages that have been read, until there are none.
DEVICE void load_tiles(Elements input, u64 n, u64* control, uint4* stages, Ring* ring) {
  Turn turn = first_turn();
  u64 drawn = 0;
  if (lane_index() == 0) {
    drawn = add_word(control, 1);
    ring->epoch = epoch_of(drawn);
  }
  u64 tile = 0;
  while (tile != NO_TILE) {
    await(&ring->read[turn.stage], turn.stage_parity ^ 1);
    if (lane_index() == 0) {
      const u64 ticket = ticket_of(drawn);
      ring->tile[turn.slot] = ticket * TILE < n ? ticket : NO_TILE;
    }
    lane_barrier();
    tile = ring->tile[turn.slot];
    if (tile != NO_TILE) {
      load_stage(input, n, tile * TILE, stages + turn.stage * STAGE_UNITS,
                 &ring->landed[turn.stage]);
      // The next ticket is on its way while a stage is waited for.
      if (lane_index() == 0) drawn = add_word(control, 1);
    } else if (lane_index() == 0) {
      arrive(&ring->landed[turn.stage]);
    }
    next_turn(&turn);
  }
}

// --- Reducing squad and scanning squad ---

DEVICE Unit unit_of(uint4 vector) {
  Unit unit;
  unit.word[0] = vector.x, unit.word[1] = vector.y;
  unit.word[2] = vector.z, unit.word[3] = vector.w;
  return unit;
}

// Element k of a run. Of a built-in type it is made of its bits: through a union, the whole strip
// would be written to memory besides.
DEVICE IN item_of(Unit unit, u32 k) {
#if defined(IN_OF_BITS) && RUN == 4
  return IN_OF_BITS(unit.word[k]);
#elif defined(IN_OF_BITS)
  return IN_OF_BITS((u64)unit.word[2 * k + 1] << 32 | unit.word[2 * k]);
#else
  union {
    u32 word[sizeof(IN) / 4];
    IN value;
  } item;
#pragma unroll
  for (u32 w = 0; w < sizeof(IN) / 4; ++w) item.word[w] = unit.word[k * (sizeof(IN) / 4) + w];
  return item.value;
#endif
}

// The runs that this lane has of a strip of the tile in the stage: `skew` words lie before the
// first element.
DEVICE void read_runs(const uint4* stage, u32 skew, u32 strip, Unit unit[STRIP_ROWS]) {
  const uint4* row = stage + strip * (STRIP / RUN) + lane_index();
  if (skew == 0) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) unit[r] = unit_of(row[r * LANES]);
  } else {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const Unit low = unit_of(row[r * LANES]);
      const Unit high = unit_of(row[r * LANES + 1]);
      const u32 word[7] = {low.word[1],  low.word[2],  low.word[3], high.word[0],
                           high.word[1], high.word[2], high.word[3]};
#pragma unroll
      for (u32 w = 0; w < 4; ++w) {
        unit[r].word[w] = skew == 1 ? word[w] : skew == 2 ? word[w + 1] : word[w + 2];
      }
    }
  }
}

// The folds of elements 0 to k of those runs; elements from n on are skipped.
DEVICE void fold_read_runs(Unit unit[STRIP_ROWS], u64 begin, u64 n, ACC* sums) {
  const bool whole = begin + STRIP <= n;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    ACC running = IDENTITY;
    // Nearly every strip is whole, and then nothing is asked of its elements.
    if (whole || first + RUN <= n) {
      running = lift_element(item_of(unit[r], 0), first);
      sums[r * RUN] = running;
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        running = COMBINE(running, lift_element(item_of(unit[r], k), first + k));
        sums[r * RUN + k] = running;
      }
    } else {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k < n) {
          running = COMBINE(running, lift_element(item_of(unit[r], k), first + k));
        }
        sums[r * RUN + k] = running;
      }
    }
  }
}

// The totals of those runs.
DEVICE void total_runs(Unit unit[STRIP_ROWS], u64 begin, u64 n, ACC total[STRIP_ROWS]) {
  const bool whole = begin + STRIP <= n;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    if (whole || first + RUN <= n) {
      ACC sum = lift_element(item_of(unit[r], 0), first);
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        sum = COMBINE(sum, lift_element(item_of(unit[r], k), first + k));
      }
      total[r] = sum;
    } else {
      ACC sum = IDENTITY;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k < n) sum = COMBINE(sum, lift_element(item_of(unit[r], k), first + k));
      }
      total[r] = sum;
    }
  }
}

DEVICE u32 skew_of(Elements input) {
  return (u64)input % sizeof(IN) != 0 ? 0 : (u32)((u64)input % UNIT_BYTES / 4);
}

// The totals of as many rows as a strip has, in the shape of a binary tree: lane l is given that of
// row l % STRIP_ROWS. Lanes that meet share out the rows, so that each step is half of the one
// before.
DEVICE ACC total_rows(ACC x[STRIP_ROWS], LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const bool later = (lane_index() & distance) != 0;
    const u32 partner = lane_index() ^ distance;
    if (distance < STRIP_ROWS) {
#pragma unroll
      for (u32 r = 0; r < STRIP_ROWS / 2 / distance; ++r) {
        const ACC own = later ? x[2 * r + 1] : x[2 * r];
        const ACC other = lane_value(later ? x[2 * r] : x[2 * r + 1], partner, scratch);
        x[r] = COMBINE(later ? other : own, later ? own : other);
      }
    } else {
      const ACC other = lane_value(x[0], partner, scratch);
      x[0] = COMBINE(later ? other : x[0], later ? x[0] : other);
    }
  }
  return x[0];
}

// Reduces tiles as they land and publishes their totals, which others wait for.
DEVICE void reduce_tiles_of(Elements input, u64 n, u64* words, bool in_place, const uint4* stages,
                            Ring* ring, LaneScratch* scratch) {
  const u32 squad = lane_group();
  const u32 skew = skew_of(input);
  Turn turn = first_turn();
  for (;;) {
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    ACC* strips = ring->strips[turn.slot];
#pragma unroll 1
    for (u32 s = 0; s < REDUCED_EACH; ++s) {
      const u32 strip = squad * REDUCED_EACH + s;
      Unit unit[STRIP_ROWS];
      ACC row[STRIP_ROWS];
      read_runs(stages + turn.stage * STAGE_UNITS, skew, strip, unit);
      total_runs(unit, tile * TILE + strip * STRIP, n, row);
      const ACC sum = total_rows(row, scratch);
      ACC total = lane_value(sum, 0, scratch);
#pragma unroll
      for (u32 r = 1; r < STRIP_ROWS; ++r) total = COMBINE(total, lane_value(sum, r, scratch));
      if (lane_index() == 0) strips[strip] = total;
    }
    if (lane_index() == 0) {
      arrive(&ring->read[turn.stage]);
      arrive(&ring->reduced[turn.slot]);
    }
    if (squad == 0) {
      await(&ring->reduced[turn.slot], turn.slot_parity);
      if (lane_index() == 0) {
        ACC sum[TILE_STRIPS];
#pragma unroll
        for (u32 s = 0; s < TILE_STRIPS; ++s) sum[s] = strips[s];
#pragma unroll
        for (u32 s = 1; s < TILE_STRIPS; ++s) sum[s] = COMBINE(sum[s - 1], sum[s]);
        publish(words, tile, ring->epoch, STATE_AGGREGATE, sum[TILE_STRIPS - 1]);
        if (in_place) device_fence();
#pragma unroll
        for (u32 s = 1; s < TILE_STRIPS; ++s) strips[s] = sum[s];
        arrive(&ring->published[turn.slot]);
      }
    }
    next_turn(&turn);
  }
  if (squad == 0 && lane_index() == 0) arrive(&ring->published[turn.slot]);
}

// Scans tiles and writes them, as soon as it is known what lies before them.
DEVICE void scan_tiles_of(Elements input, u64 n, OUT* output, const uint4* stages, Ring* ring,
                          LaneScratch* scratch TOTAL_PARAMETERS) {
  const u32 strip = lane_group() - REDUCING;
  const u32 skew = skew_of(input);
  Turn turn = first_turn();
  for (;;) {
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    ACC sums[STRIP_ROWS * RUN];
    ACC prefix[STRIP_ROWS];
    Unit unit[STRIP_ROWS];
    read_runs(stages + turn.stage * STAGE_UNITS, skew, strip, unit);
    fold_read_runs(unit, tile * TILE + strip * STRIP, n, sums);
    lane_barrier();
    if (lane_index() == 0) arrive(&ring->read[turn.stage]);
    prefix_strip(sums, prefix, scratch);

    await(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC groups = ring->groups[turn.slot];
    const ACC before = tile % GROUP_TILES == 0 ? groups : COMBINE(groups, ring->earlier[turn.slot]);
    const ACC* strips = ring->strips[turn.slot];
    const ACC start = strip == 0 ? before : COMBINE(before, strips[strip - 1]);
    const ACC next = strip == TILE_STRIPS - 1 ? COMBINE(groups, ring->with_own[turn.slot])
                                              : COMBINE(before, strips[strip]);
    store_strip(output, tile * TILE + strip * STRIP, n, sums, prefix, start, next,
                scratch TOTAL_ARGUMENTS);
    next_turn(&turn);
  }
}
