// Part order_ring: a ring of tiles in local memory, and the warp that fills it.
// Provides: order_ring
// Uses: lanes, elements, order_warp_tile, atomics, tile_words, bulk_copies, element_address,
//   ring_access, ring_beside, lane_index, lane_barrier, prefetch_l2

#ifndef STAGES
#define STAGES 7  // Tiles in local memory.
#endif
// The input is loaded with L2::evict_first where input and output together have at least MIN and
// less than MAX MiB: about what the L2 holds. By default this never happens.
#ifndef L2_EVICT_FIRST_MIN_MIB
#define L2_EVICT_FIRST_MIN_MIB 0
#endif
#ifndef L2_EVICT_FIRST_MAX_MIB
#define L2_EVICT_FIRST_MAX_MIB 0
#endif
#define FIRST_TILES_IN_FLIGHT 2  // Tiles that a group loads before its first one has landed.
#ifndef REDUCING
#define REDUCING 8  // Warps that reduce tiles.
#endif
#ifndef LOOKING
#define LOOKING 1  // Warps that look back.
#endif
// Vectors behind the stages, in which a tile's results are gathered before they are stored.
#ifndef GATHERED_VECTORS
#define GATHERED_VECTORS 0
#endif

// Bytes before a tile that are loaded with it: none, or a vector, which holds the element before.
#ifndef LEAD_BYTES
#define LEAD_BYTES 0
#endif

// Each scanning warp has one warp tile. The bulk copy engine is fastest between addresses that have
// the same offset in a 128-byte line. So a tile keeps its offset in its stage, and a stage has room
// for one line more.
#define SCANNING WARP_TILES
#define LOOKER (REDUCING + SCANNING)
#define LOADER (LOOKER + LOOKING)
#define VECTOR_BYTES 16
#define LINE_BYTES 128
#define LEAD_LINES (LEAD_BYTES > 0 ? LINE_BYTES : 0)
#define STAGE_VECTORS ((LEAD_LINES + TILE * sizeof(IN) + LINE_BYTES) / VECTOR_BYTES)
#define SLOTS (STAGES + 1)
#define REDUCED_EACH (WARP_TILES / REDUCING)
#if WARP_TILES % REDUCING != 0 || GROUP_SIZE != LANES * (REDUCING + WARP_TILES + LOOKING + 1)
#error "every reducing warp has as many warp tiles, and every role its warps"
#endif
typedef char ring_run_fits[RUN * sizeof(IN) == RUN_BYTES ? 1 : -1];

#define NO_TILE (~(u64)0)

// A run as it lies in a stage (RunVector), and in registers (Run).
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

// What the roles share. A stage is free again when it has been read, but what is known of its tile
// is needed longer: so there is one slot more than stages. Each mbarrier has a phase for every tile
// that its stage or slot gets; a role waits for the phase by its parity.
//
// mbarrier     of a   arrivals by                    awaited by                completed, it means
// -----------  -----  -----------------------------  ------------------------  -------------------
// landed       stage  the loader's lanes and copies  reducers, scanners, and   the tile is in the
//                                                    the loader at the start   stage, or tile[] is
//                                                                              NO_TILE
// read         stage  reducers' and scanners' lanes  the loader, and lookers   the stage may be
//                                                    that keep their distance  loaded again
// reduced      slot   a lane of each reducer         the first reducer         warp_totals[] has
//                                                                              totals
// published    slot   a lane of the first reducer    lookers                   warp_totals[] is
//                                                                              folded, and the last
//                                                                              is published
// looked_back  slot   the lookers' lanes             scanners                  before_supertile[],
//                                                                              before_tile[] and
//                                                                              through_tile[] are
//                                                                              there
typedef struct {
  Mbarrier landed[STAGES];
  Mbarrier read[STAGES];
  Mbarrier reduced[SLOTS];
  Mbarrier published[SLOTS];
  Mbarrier looked_back[SLOTS];
  u64 tile[SLOTS];
  u32 epoch;
  u64 ticket;                          // The last one that this group drew.
  ACC warp_totals[SLOTS][WARP_TILES];  // Totals of warp tiles, then folded from left to right.
  ACC before_supertile[SLOTS];         // The prefix of the tile's supertile.
  ACC before_tile[SLOTS];              // The tile's prefix within its supertile,
  ACC through_tile[SLOTS];             // and the same with the tile.
} Ring;

typedef char ring_leaves_room_for_stages[sizeof(Ring) <= RING_STATE_BYTES ? 1 : -1];

// The next tile of a role: its stage and slot, and the parities of their phases.
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

// Called by all work-items. Ends with a barrier.
DEVICE void make_ring(Ring* ring) {
  if (threadIdx.x == 0) {
    for (u32 s = 0; s < STAGES; ++s) {
      mbarrier_init(&ring->landed[s], LANES);
      mbarrier_init(&ring->read[s], LANES * (REDUCING + SCANNING));
    }
    for (u32 s = 0; s < SLOTS; ++s) {
      mbarrier_init(&ring->reduced[s], REDUCING);
      mbarrier_init(&ring->published[s], 1);
      mbarrier_init(&ring->looked_back[s], LANES * LOOKING);
    }
    fence_async_local();
  }
  __syncthreads();
}

// --- Loader ---

// What is loaded singly at the edges of the input, where no whole vector belongs to it. That is an
// element, or a word of an element of 12 bytes.
#if RUN_BYTES == 12
typedef u32 Piece;
DEVICE Piece load_piece(Elements input, u64 begin, u64 k) {
  return ((const u32*)address_at(input, begin))[k];
}
#else
typedef IN Piece;
DEVICE Piece load_piece(Elements input, u64 begin, u64 k) { return load_alone(input, begin + k); }
#endif

// How many vectors of a stage lie before the vector that holds its first element.
DEVICE u32 first_vector_of(Elements input) {
  const u64 address = (u64)address_at(input, 0);
  const u32 lead = LEAD_LINES / VECTOR_BYTES;
  return lead + (address % sizeof(Piece) != 0 ? 0 : (u32)(address % LINE_BYTES / VECTOR_BYTES));
}

// Loads a tile into a stage. Copies move whole vectors. A vector at either end that reaches beyond
// the input is loaded piece by piece. A struct whose address is no multiple of a piece is loaded
// like that as a whole.
DEVICE void load_stage(Elements input, u64 n, u64 begin, uint4* stage, Mbarrier* landed,
                       bool evict_first) {
  const u64 tile_address = (u64)address_at(input, begin);
  const u64 end_address =
      begin + TILE < n ? tile_address + TILE * sizeof(IN) : (u64)address_at(input, n);
  const u64 line_address = tile_address / LINE_BYTES * LINE_BYTES;
  const bool leads = LEAD_BYTES > 0 ? begin > 0 : false;
  u64 low = tile_address / VECTOR_BYTES * VECTOR_BYTES - (leads ? LEAD_BYTES : 0);
  u64 high = (end_address + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
  if (low < (u64)address_at(input, first_index_of(input))) low += VECTOR_BYTES;
  if (high > (u64)address_at(input, n)) high -= VECTOR_BYTES;
  if (tile_address % sizeof(Piece) != 0 || high < low) {
    low = line_address;
    high = line_address;
  }
  const u32 bytes = (u32)(high - low);
  const bool stores = low > tile_address || high < end_address;
  // The copy is started before the pieces are loaded.
  if (lane_index() == 0 && bytes > 0) {
    mbarrier_expect_tx(landed, bytes);
    u8* to = (u8*)stage + (low + LEAD_LINES - line_address);
    if (evict_first) {
      copy_in_evict_first(to, (const void*)low, bytes, landed);
    } else {
      copy_in(to, (const void*)low, bytes, landed);
    }
  }
  if (!stores) {
    if (lane_index() == 0) mbarrier_arrive_for(landed, LANES);
    return;
  }
  const u64 misalignment = tile_address % sizeof(Piece) != 0 ? 0 : tile_address - line_address;
  const u64 lead = leads ? sizeof(IN) / sizeof(Piece) : 0;
  const u64 first = tile_address - lead * sizeof(Piece);
  Piece* piece = (Piece*)((u8*)stage + LEAD_LINES + misalignment);
  const u64 step = LANES * sizeof(Piece);
  for (u64 at = first + lane_index() * sizeof(Piece); at < low && at < end_address; at += step) {
    const u64 k = (at - first) / sizeof(Piece) - lead;
    piece[k] = load_piece(input, begin, k);
  }
  for (u64 at = (high > tile_address ? high : first) + lane_index() * sizeof(Piece);
       at < end_address; at += step) {
    const u64 k = (at - first) / sizeof(Piece) - lead;
    piece[k] = load_piece(input, begin, k);
  }
  fence_async_local();
  mbarrier_arrive(landed);
}

// Prefetches the first tiles into the L2, before earlier kernels have ended. Each group prefetches
// as many as it will begin with; another group may draw them.
DEVICE void prefetch_first_tiles(Elements input, u64 n) {
  for (u64 k = 0; k < FIRST_TILES_IN_FLIGHT; ++k) {
    const u64 begin = (k * gridDim.x + blockIdx.x) * TILE;
    const u64 count = begin >= n ? 0 : n - begin < TILE ? n - begin : TILE;
    prefetch_l2(address_at(input, begin), count * sizeof(IN));
  }
}

// Whether the input is loaded with L2::evict_first, which leaves the L2 to the output: that is more
// likely to be read next.
DEVICE bool is_evict_first(u64 n) {
  const u64 bytes = n * (sizeof(IN) + sizeof(OUT));
  return bytes >= (u64)L2_EVICT_FIRST_MIN_MIB << 20 && bytes < (u64)L2_EVICT_FIRST_MAX_MIB << 20;
}

// Draws tiles in order and loads them into stages that have been read, until there are none.
// A tile is a ticket, not the group's index. With overlapped launches the last group starts late,
// and no other group should wait for its first tile.
// At the beginning a group loads only FIRST_TILES_IN_FLIGHT tiles at once. If all groups loaded all
// stages, memory would serve them alike, and the first tile would land nearly as late as the last.
DEVICE void load_tiles(Elements input, u64 n, u64* control, uint4* stages, Ring* ring,
                       bool in_place) {
  Turn turn = first_turn();
  u64 drawn = 0;
  if (lane_index() == 0) {
    drawn = add_word(control, 1);
    ring->epoch = epoch_of(drawn);
  }
  const bool evict_first = !in_place && is_evict_first(n);
  u64 tile = 0;
  u32 begun = 0;  // Stages that had a tile.
  while (tile != NO_TILE) {
    // --- Wait for a stage that has been read ---
    if (begun < STAGES && begun++ >= FIRST_TILES_IN_FLIGHT)
      mbarrier_wait(&ring->landed[turn.stage - FIRST_TILES_IN_FLIGHT], 0);
    mbarrier_wait(&ring->read[turn.stage], turn.stage_parity ^ 1);
    // --- Tell which tile comes ---
    if (lane_index() == 0) {
      const u64 ticket = ticket_of(drawn);
      ring->tile[turn.slot] = ticket * TILE < n ? ticket : NO_TILE;
    }
    lane_barrier();
    tile = ring->tile[turn.slot];
    // --- Bring it in ---
    if (tile != NO_TILE) {
      load_stage(input, n, tile * TILE, stages + turn.stage * STAGE_VECTORS,
                 &ring->landed[turn.stage], evict_first);
      // The next ticket is drawn while a stage is waited for.
      if (lane_index() == 0) {
        fetch_beside(input, n, tile * TILE);
        drawn = add_word(control, 1);
      }
    } else if (lane_index() == 0) {
      mbarrier_arrive_for(&ring->landed[turn.stage], LANES);
    }
    next_turn(&turn);
  }
  if (lane_index() == 0) ring->ticket = drawn;
}

// The number of tickets that all groups draw: one for each tile, and one more for each group.
DEVICE u64 tickets_of(u64 n) { return (n + TILE - 1) / TILE + gridDim.x; }

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
