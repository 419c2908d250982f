// Part order_ring: a ring of tiles in local memory, and the role that fills it.
// Provides: order_ring
// Uses: lanes, elements, order_strip, launch, atomics, tile_words, bulk_copies

#ifndef STAGES
#define STAGES 7  // Tiles in local memory.
#endif
// Input and output of so many MiB together are about what a cache holds; of none by default.
#ifndef L2_EVICT_FIRST_MIN_MIB
#define L2_EVICT_FIRST_MIN_MIB 0
#endif
#ifndef L2_EVICT_FIRST_MAX_MIB
#define L2_EVICT_FIRST_MAX_MIB 0
#endif
#define LEAD 2  // Tiles on their way to a group that has none yet.
#ifndef REDUCING
#define REDUCING 8  // Lane groups that reduce tiles.
#endif
#ifndef LOOKING
#define LOOKING 1  // Lane groups that look back.
#endif
#ifndef GATHERED_UNITS
#define GATHERED_UNITS \
  0  // Units of a tile's results behind the stages, from where they are stored.
#endif

// The scanning lane groups have a strip each. Copies move units, and are quickest between places
// as far from a line as each other: so a tile starts at that place of its stage, which has room for
// a line more.
#define SCANNING TILE_STRIPS
#define LOOKER (REDUCING + SCANNING)
#define LOADER (LOOKER + LOOKING)
#define UNIT_BYTES 16
#define LINE_BYTES 128
#define STAGE_UNITS ((TILE * sizeof(IN) + LINE_BYTES) / UNIT_BYTES)
#define SLOTS (STAGES + 1)
#define REDUCED_EACH (TILE_STRIPS / REDUCING)
#if TILE_STRIPS % REDUCING != 0 || GROUP_SIZE != LANES * (REDUCING + TILE_STRIPS + LOOKING + 1)
#error "every reducing lane group has as many strips, and every role its lane groups"
#endif
typedef char ring_run_fits[RUN * sizeof(IN) == RUN_BYTES ? 1 : -1];

#define NO_TILE (~(u64)0)

// A run as it lies in a stage, and in registers.
#if RUN_BYTES == 16
typedef uint4 RunVector;
#elif RUN_BYTES == 8
typedef uint2 RunVector;
#elif RUN_BYTES != 12
#error "a lane reads a run of 8 or 16 bytes at once, or the words of an element of 12"
#endif
typedef struct {
  u32 word[RUN_BYTES / 4];
} Run;

// What the roles tell each other. A stage is free again as soon as it has been read, while what is
// known of its tile is still needed: so there is one slot more than stages. Each signal has a phase
// for every tile that its stage or slot gets; who waits names the phase by its parity.
//
// signal       of a   given by                       awaited by                means
// -----------  -----  -----------------------------  ------------------------  -------------------
// landed       stage  the loader's lanes and copies  reducers, scanners, and   the tile is in the
//                                                    the loader at the start   stage, or tile[] is
//                                                                              NO_TILE
// read         stage  reducers' and scanners' lanes  the loader, and lookers   the stage may be
//                                                    that trail                loaded again
// reduced      slot   a lane of each reducer         the first reducer         strips[] are totals
// published    slot   a lane of the first reducer    lookers                   strips[] are folded
//                                                                              and the last is out
// looked_back  slot   the lookers' lanes             scanners                  groups[], earlier[]
//                                                                              and with_own[]
typedef struct {
  Signal landed[STAGES];      // The tile is in the stage.
  Signal read[STAGES];        // It is in registers, reduced and to be scanned.
  Signal reduced[SLOTS];      // The totals of its strips are there,
  Signal published[SLOTS];    // then they are folded from left to right, and the last is published,
  Signal looked_back[SLOTS];  // and what lies before the tile is known, too.
  u64 tile[SLOTS];
  u32 epoch;
  u64 ticket;  // The last one of this group.
  ACC strips[SLOTS][TILE_STRIPS];
  ACC groups[SLOTS];    // Before the tile's group,
  ACC earlier[SLOTS];   // before the tile in its group,
  ACC with_own[SLOTS];  // and that with the tile.
} Ring;

typedef char ring_leaves_room_for_stages[sizeof(Ring) <= TOLD_BYTES ? 1 : -1];

// A role's next tile: its stage and slot, and the parities of their phases.
typedef struct {
  u32 stage;
  u32 stage_parity;
  u32 slot;
  u32 slot_parity;
} Turn;

DEVICE Turn first_turn(void) {
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
DEVICE void make_ring(__local Ring* ring) {
  if (get_local_id(0) == 0) {
    for (u32 s = 0; s < STAGES; ++s) {
      make_signal(&ring->landed[s], LANES);
      make_signal(&ring->read[s], LANES * (REDUCING + SCANNING));
    }
    for (u32 s = 0; s < SLOTS; ++s) {
      make_signal(&ring->reduced[s], REDUCING);
      make_signal(&ring->published[s], 1);
      make_signal(&ring->looked_back[s], LANES * LOOKING);
    }
    order_copies();
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// --- Loader ---

// What is loaded one by one where no whole unit is the input's: elements, or words of those that
// units begin and end within.
#if RUN_BYTES == 12
typedef u32 Part;
DEVICE Part load_part(Elements input, u64 begin, u64 k) {
  return ((const __global u32*)address_at(input, begin))[k];
}
#else
typedef IN Part;
DEVICE Part load_part(Elements input, u64 begin, u64 k) { return load_element(input, begin + k); }
#endif

// Units of a stage before the one in which its first element lies.
DEVICE u32 first_unit_of(Elements input) {
  const u64 address = (u64)address_at(input, 0);
  return address % sizeof(Part) != 0 ? 0 : (u32)(address % LINE_BYTES / UNIT_BYTES);
}

// Brings a tile's elements into a stage. Copies move whole units: where one at either end reaches
// beyond the input, its parts are loaded one by one. So are all of a struct that lies where
// neither elements nor words begin.
DEVICE void load_stage(Elements input, u64 n, u64 begin, __local uint4* stage,
                       __local Signal* landed, bool passing) {
  const u64 first = (u64)address_at(input, begin);
  const u64 end = begin + TILE < n ? first + TILE * sizeof(IN) : (u64)address_at(input, n);
  const u64 start = first / LINE_BYTES * LINE_BYTES;
  u64 low = first / UNIT_BYTES * UNIT_BYTES;
  u64 high = (end + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  if (low < (u64)address_at(input, first_of(input))) low += UNIT_BYTES;
  if (high > (u64)address_at(input, n)) high -= UNIT_BYTES;
  if (first % sizeof(Part) != 0 || high < low) {
    low = start;
    high = start;
  }
  const u32 bytes = (u32)(high - low);
  const bool stores = low > first || high < end;
  // The copy is on its way before parts are waited for.
  if (lane_index() == 0 && bytes > 0) {
    expect(landed, bytes);
    __local u8* to = (__local u8*)stage + (low - start);
    if (passing) {
      copy_in_passing(to, (const __global void*)low, bytes, landed);
    } else {
      copy_in(to, (const __global void*)low, bytes, landed);
    }
  }
  if (!stores) {
    if (lane_index() == 0) arrive_for(landed, LANES);
    return;
  }
  const u64 skew = first % sizeof(Part) != 0 ? 0 : first - start;
  __local Part* part = (__local Part*)((__local u8*)stage + skew);
  const u64 step = LANES * sizeof(Part);
  for (u64 at = first + lane_index() * sizeof(Part); at < low && at < end; at += step) {
    const u64 k = (at - first) / sizeof(Part);
    part[k] = load_part(input, begin, k);
  }
  for (u64 at = (high > first ? high : first) + lane_index() * sizeof(Part); at < end; at += step) {
    const u64 k = (at - first) / sizeof(Part);
    part[k] = load_part(input, begin, k);
  }
  order_copies();
  arrive(landed);
}

// The tiles that are drawn first, which may be brought into the cache before earlier work has
// ended: each group asks for as many as it is going to begin with, whoever draws them.
DEVICE void expect_first_tiles(Elements input, u64 n) {
  for (u64 k = 0; k < LEAD; ++k) {
    const u64 begin = (k * get_num_groups(0) + get_group_id(0)) * TILE;
    const u64 count = begin >= n ? 0 : n - begin < TILE ? n - begin : TILE;
    expect_memory(address_at(input, begin), count * sizeof(IN));
  }
}

// Whether the input makes way in the cache for the output, which is more likely to be read next.
DEVICE bool is_passing(u64 n) {
  const u64 bytes = n * (sizeof(IN) + sizeof(OUT));
  return bytes >= (u64)L2_EVICT_FIRST_MIN_MIB << 20 && bytes < (u64)L2_EVICT_FIRST_MAX_MIB << 20;
}

// Draws tiles in order and brings them into the stages that have been read, until there are none.
// They are tickets and not the groups' indices: of a launch that overlaps with the one before, the
// last group starts late, and nobody should wait for its first tile.
// A group without a tile yet does not ask for all at once: memory would serve all groups' stages
// alike, and no first tile would be there before the last one nearly is.
DEVICE void load_tiles(Elements input, u64 n, __global u64* control, __local uint4* stages,
                       __local Ring* ring, bool in_place) {
  Turn turn = first_turn();
  u64 drawn = 0;
  if (lane_index() == 0) {
    drawn = add_word(control, 1);
    ring->epoch = epoch_of(drawn);
  }
  const bool passing = !in_place && is_passing(n);
  u64 tile = 0;
  u32 begun = 0;  // Stages that had a tile.
  while (tile != NO_TILE) {
    // --- Wait for a stage that has been read ---
    if (begun < STAGES && begun++ >= LEAD) await(&ring->landed[turn.stage - LEAD], 0);
    await(&ring->read[turn.stage], turn.stage_parity ^ 1);
    // --- Tell which tile comes ---
    if (lane_index() == 0) {
      const u64 ticket = ticket_of(drawn);
      ring->tile[turn.slot] = ticket * TILE < n ? ticket : NO_TILE;
    }
    lane_barrier();
    tile = ring->tile[turn.slot];
    // --- Bring it in ---
    if (tile != NO_TILE) {
      load_stage(input, n, tile * TILE, stages + turn.stage * STAGE_UNITS,
                 &ring->landed[turn.stage], passing);
      // The next ticket is on its way while a stage is waited for.
      if (lane_index() == 0) drawn = add_word(control, 1);
    } else if (lane_index() == 0) {
      arrive_for(&ring->landed[turn.stage], LANES);
    }
    next_turn(&turn);
  }
  if (lane_index() == 0) ring->ticket = drawn;
}

// The tickets that all groups draw: one for each tile, and each group one beyond them.
DEVICE u64 tickets_of(u64 n) { return (n + TILE - 1) / TILE + get_num_groups(0); }

#if RUN_BYTES != 12
DEVICE Run run_of(RunVector vector) {
  Run run;
  run.word[0] = vector.x, run.word[1] = vector.y;
#if RUN_BYTES == 16
  run.word[2] = vector.z, run.word[3] = vector.w;
#endif
  return run;
}
#endif
