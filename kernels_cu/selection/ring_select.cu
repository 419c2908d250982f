// Part ring_spans: a lane has a span of neighbouring runs of a warp tile, so that what is kept of
// them lies together, too. The number of runs is odd, so that no two lanes use the same bank of
// local memory.
// Provides: ring_spans
// Uses: order_warp_tile, order_ring, join_words, lane_index

typedef char spans_begin_in_other_banks[WARP_TILE_ROWS % 2 == 1 ? 1 : -1];

#define SPAN (WARP_TILE_ROWS * RUN)  // Elements of a lane.

// Index in its warp tile of this lane's first element.
DEVICE u32 span_index() { return lane_index() * SPAN; }

#if RUN_BYTES == 12
DEVICE void read_span(const uint4* stage, u32 misalignment, u32 warp_tile,
                      Run run[WARP_TILE_ROWS]) {
  const u32* own = (const u32*)stage + misalignment / 4;
  own += (warp_tile * WARP_TILE + span_index()) * (RUN_BYTES / 4);
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 w = 0; w < RUN_BYTES / 4; ++w) run[r].word[w] = own[r * (RUN_BYTES / 4) + w];
  }
}
#else
// Reads this lane's runs of a warp tile. `misalignment` bytes of the stage lie before the first
// element.
DEVICE void read_span(const uint4* stage, u32 misalignment, u32 warp_tile,
                      Run run[WARP_TILE_ROWS]) {
  const uint4* own = stage + (warp_tile * LANES + lane_index()) * WARP_TILE_ROWS;
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) run[r] = run_of(own[r]);
  if (misalignment == 0) return;
  const Run last = run_of(own[WARP_TILE_ROWS]);
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    const Run next = r + 1 < WARP_TILE_ROWS ? run[r + 1] : last;
    join_words(run[r].word, next.word, RUN_BYTES / 4, misalignment, run[r].word);
  }
}
#endif

// Part ring_element_one: an element of a ring by itself.
// Provides: ring_element
// Uses: elements

DEVICE Element ring_element(IN x, IN before) { return x; }

// Part ring_element_before: an element of a ring with the one before it.
// Provides: ring_element
// Uses: elements

DEVICE Element ring_element(IN x, IN before) {
  Element element;
  element.x = x;
  element.before = before;
  return element;
}

// Part ring_flags: which elements of a span are kept, a bit for each. A reducer leaves them for the
// scanner of the warp tile.
// Provides: ring_flags
// Uses: order_warp_tile, order_ring

#define FLAG_RUNS (32 / RUN)  // Whose flags a word has.
#define FLAG_WORDS ((WARP_TILE_ROWS + FLAG_RUNS - 1) / FLAG_RUNS)
typedef char flags_of_runs_fit[RUN <= 32 ? 1 : -1];

// Of every tile that is on its way, the flags of its warp tiles.
typedef struct {
  u32 word[SLOTS][WARP_TILES][FLAG_WORDS][LANES];
} RingFlags;

// Part ring_flagging_text: a text over elements in a stage flags them.
// Provides: ring_flagging
// Uses: elements, order_ring, ring_spans, ring_flags, ring_item, ring_element

// Flags of the span from `first` on. `before` is the element before it, if that is asked for.
// Elements from n on are not kept.
DEVICE void flags_of(const Run run[WARP_TILE_ROWS], IN before, u64 first, u64 n,
                     u32 flags[FLAG_WORDS]) {
#pragma unroll
  for (u32 w = 0; w < FLAG_WORDS; ++w) flags[w] = 0;
  if (first + SPAN <= n) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const IN x = item_of(run[r], k);
        const bool kept = lift_element(ring_element(x, before), first + r * RUN + k) != 0;
        if (kept) flags[r / FLAG_RUNS] |= 1u << (r % FLAG_RUNS * RUN + k);
        before = x;
      }
    }
    return;
  }
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      const u64 i = first + r * RUN + k;
      const IN x = item_of(run[r], k);
      const bool kept = i < n && lift_element(ring_element(x, before), i) != 0;
      if (kept) flags[r / FLAG_RUNS] |= 1u << (r % FLAG_RUNS * RUN + k);
      before = x;
    }
  }
}

// Flags of this lane's span of a warp tile, of the tile from `begin` on in a stage.
DEVICE void flag_span(Elements input, const uint4* stage, u32 misalignment, u32 warp_tile,
                      u64 begin, u64 n, u32 flags[FLAG_WORDS]) {
  Run run[WARP_TILE_ROWS];
  read_span(stage, misalignment, warp_tile, run);
  // What lies before the first element of all is never looked at.
  const u32 span = warp_tile * WARP_TILE + span_index();
  const IN* own = (const IN*)((const u8*)stage + misalignment) + span;
  flags_of(run, own[LEAD_BYTES > 0 ? -1 : 0], begin + span, n, flags);
}

// Part ring_flagging_array: an array beside the elements flags them.
// Provides: ring_flagging
// Uses: elements, order_warp_tile, order_ring, ring_access, ring_spans, ring_flags, lane_index,
//   lane_counts, shuffle_word

#define FLAGGED_AT_ONCE (WARP_TILE_ROWS * (RUN < 4 ? RUN : 4))  // Rows of flags on their way.
#define HELD_WORDS ((SPAN + LANES - 1) / LANES)

// Word `w` of a warp tile's flags, of which each lane holds some.
DEVICE u32 held_word(const u32 held[HELD_WORDS], u32 w) {
  u32 word = 0;
#pragma unroll
  for (u32 h = 0; h < HELD_WORDS; ++h) {
    const u32 one = shuffle_word(held[h], w % LANES);
    if (w / LANES == h) word = one;
  }
  return word;
}

// Flags of this lane's span of a warp tile, of the tile from `begin` on. Lanes load neighbouring
// flags, of which a vote makes a word; a lane's own lie in some of these.
DEVICE void flag_span(Elements input, const uint4* stage, u32 misalignment, u32 warp_tile,
                      u64 begin, u64 n, u32 flags[FLAG_WORDS]) {
  const u64 first = begin + warp_tile * WARP_TILE + lane_index();
  u32 held[HELD_WORDS];
#pragma unroll
  for (u32 h = 0; h < HELD_WORDS; ++h) held[h] = 0;
#pragma unroll
  for (u32 c = 0; c < SPAN; c += FLAGGED_AT_ONCE) {
    SECOND flag[FLAGGED_AT_ONCE];
#pragma unroll
    for (u32 r = 0; r < FLAGGED_AT_ONCE; ++r) {
      const u64 i = first + (c + r) * LANES;
      flag[r] = input.y[i < n ? i : n - 1];
    }
#pragma unroll
    for (u32 r = 0; r < FLAGGED_AT_ONCE; ++r) {
      const u64 i = first + (c + r) * LANES;
      const bool kept = i < n && LIFT_PAIR(load_alone(input, i), flag[r], i) != 0;
      const u32 word = lane_flags(kept);
      if ((c + r) % LANES == lane_index()) held[(c + r) / LANES] = word;
    }
  }
#pragma unroll
  for (u32 w = 0; w < FLAG_WORDS; ++w) {
    const u32 bit = lane_index() * SPAN + w * 32;
    const u32 low = held_word(held, bit / 32);
    const u32 high = held_word(held, bit / 32 + 1);
    const u32 word = bit % 32 == 0 ? low : low >> bit % 32 | high << (32 - bit % 32);
    flags[w] = SPAN - w * 32 < 32 ? word & ((1u << (SPAN - w * 32) % 32) - 1) : word;
  }
}

// Part ring_beside_flags: the flags of a tile, which are loaded from the L2 cache.
// Provides: ring_beside
// Uses: elements, order_warp_tile, bulk_fetches

// Brings the flags of the tile from `begin` on into the L2, while it is on its way to its stage.
DEVICE void fetch_beside(Elements input, u64 n, u64 begin) {
  const u64 end = n - begin < TILE ? n : begin + TILE;
  fetch_l2(input.y + begin, (end - begin) * sizeof(SECOND));
}

// Part ring_count: the warps of a ring that find out what is kept of tiles.
// Provides: ring_count
// Uses: order_ring, ring_items, ring_flags, ring_flagging, ring_publication, lane_index,
//   lane_counts

// Flags what is kept of each tile when it has landed, and publishes how many these are.
DEVICE void count_tiles_of(u32 reducer, Elements input, u64 n, u64* words, const uint4* stages,
                           Ring* ring, RingFlags* ring_flags) {
  const u32 misalignment = misalignment_of(input);
  const uint4* tiles = stages + first_vector_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Flag and count its warp tiles ---
    const uint4* stage = tiles + turn.stage * STAGE_VECTORS;
#pragma unroll 1
    for (u32 s = 0; s < REDUCED_EACH; ++s) {
      const u32 warp_tile = reducer * REDUCED_EACH + s;
      u32 flags[FLAG_WORDS];
      flag_span(input, stage, misalignment, warp_tile, tile * TILE, n, flags);
      u32 count = 0;
#pragma unroll
      for (u32 w = 0; w < FLAG_WORDS; ++w) {
        count += count_bits(flags[w]);
        ring_flags->word[turn.slot][warp_tile][w][lane_index()] = flags[w];
      }
      const u32 total = lane_sum(count);
      if (lane_index() == 0) ring->warp_totals[turn.slot][warp_tile] = (ACC)total;
    }
    mbarrier_arrive(&ring->read[turn.stage]);
    // --- Publish their number ---
    publish_tile(reducer, tile, turn, words, false, ring);
    next_turn(&turn);
  }
  if (reducer == 0 && lane_index() == 0) mbarrier_arrive(&ring->published[turn.slot]);
}

// Part ring_all_none: no place depends on how many elements are kept of all.
// Provides: ring_all

#define ALL_PARAMETERS
#define ALL_KEPT 0

// Part ring_all_counted: how many elements are kept of all, from the counts of groups that an
// earlier launch has left.
// Provides: ring_all
// Uses: lanes, order_lanes, lane_index

#define ALL_PARAMETERS , const ACC *partials, u64 partials_offset, u64 partials_count
#define ALL_KEPT add_partials(partials + partials_offset, partials_count, &lane_scratch)

// The sum, known to every lane.
DEVICE u64 add_partials(const ACC* partials, u64 count, LaneScratch* scratch) {
  ACC sum = IDENTITY;
  for (u64 g = lane_index(); g < count; g += LANES) sum = COMBINE(sum, partials[g]);
  return lane_value(lane_prefix(sum, scratch), LANES - 1, scratch);
}

// Part ring_select: the warps of a ring that store what is kept. A warp gathers its warp tile in
// local memory, as far from a vector as it will lie in the output, and the copy engine stores it.
// Provides: ring_select
// Uses: order_warp_tile, bulk_copies_out, order_ring, ring_items, ring_spans, ring_flags,
//   ring_item, total, lane_index, lane_counts, lane_barrier, shuffle_word, select_places, selected,
//   rejected

// Where results of a warp tile are gathered that will lie at `to`.
DEVICE OUT* gathered_for(uint4* vectors, const OUT* to) {
  return (OUT*)((u8*)vectors + (u64)to % VECTOR_BYTES);
}

// Stores the first `count` results that were gathered for `to`: whole vectors by the copy engine,
// and the bytes of split vectors at the ends by lanes.
DEVICE void store_gathered(const OUT* gathered, OUT* to, u32 count) {
  const u64 begin = (u64)to;
  const u64 end = begin + count * sizeof(OUT);
  u64 low = (begin + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
  u64 high = end / VECTOR_BYTES * VECTOR_BYTES;
  const u8* bytes = (const u8*)gathered;
  if (low < high) {
    if (lane_index() == 0) copy_out((u8*)low, bytes + (low - begin), (u32)(high - low));
  } else {
    low = end;
    high = end;
  }
  const u64 first = begin + lane_index();
  if (first < low) *(u8*)first = bytes[lane_index()];
  const u64 last = high + lane_index();
  if (last < end) *(u8*)last = bytes[last - begin];
}

// Stores what is kept of tiles, as soon as it is known how much lies before it. `all` is how much
// there is, if a place depends on that.
DEVICE void select_tiles_of(u32 warp_tile, Elements input, u64 n, u64 all, OUT* output, u64 room,
                            uint4* stages, Ring* ring,
                            const RingFlags* ring_flags TOTAL_PARAMETERS) {
  const u32 misalignment = misalignment_of(input);
  const uint4* tiles = stages + first_vector_of(input);
  uint4* vectors = stages + STAGES * STAGE_VECTORS + warp_tile * (GATHERED_VECTORS / WARP_TILES);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u64 begin = tile * TILE + warp_tile * WARP_TILE;
    Run run[WARP_TILE_ROWS];
    read_span(tiles + turn.stage * STAGE_VECTORS, misalignment, warp_tile, run);
    mbarrier_arrive(&ring->read[turn.stage]);

    // --- Wait for what lies before it, and rank what is kept ---
    mbarrier_wait(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC before_supertile = ring->before_supertile[turn.slot];
    u64 at = before_supertile;
    if (tile % SUPERTILE_TILES > 0) at += ring->before_tile[turn.slot];
    if (warp_tile > 0) at += ring->warp_totals[turn.slot][warp_tile - 1];
    LEAVE_TOTAL(warp_tile == 0 && lane_index() == 0 && n - tile * TILE <= TILE,
                before_supertile + ring->through_tile[turn.slot]);
    u32 flags[FLAG_WORDS];
    u32 own = 0;
#pragma unroll
    for (u32 w = 0; w < FLAG_WORDS; ++w) {
      flags[w] = ring_flags->word[turn.slot][warp_tile][w][lane_index()];
      own += count_bits(flags[w]);
    }
    u32 through = own;
#pragma unroll
    for (u32 distance = 1; distance < LANES; distance *= 2) {
      const u32 earlier = shuffle_word(through, (lane_index() + LANES - distance) % LANES);
      if (lane_index() >= distance) through += earlier;
    }
    const u32 count = shuffle_word(through, LANES - 1);
    const u32 size = begin >= n ? 0 : n - begin < WARP_TILE ? (u32)(n - begin) : WARP_TILE;
    const u32 rejected = size - count;

    // --- Gather it, when what was gathered before is stored ---
    OUT* to = output + at;
    OUT* gathered = gathered_for(vectors, to);
    const u64 rejected_at = REJECTED_PLACE(n, all, begin - at, rejected);
    OUT* rejected_to = output + rejected_at;
    const u32 kept_vectors = (count * (u32)sizeof(OUT) + 2 * VECTOR_BYTES - 1) / VECTOR_BYTES;
    OUT* gathered_rejected = gathered_for(vectors + kept_vectors, rejected_to);
    if (lane_index() == 0) wait_copies_out();
    lane_barrier();
    if (STORES_REJECTED || count > 0) {
      OUT* next = gathered + (through - own);
      const u32 earlier = span_index() - (through - own);  // That are not kept.
      const i32 slot = (i32)REJECTED_SLOT(count, size, earlier) - (i32)count;
      const i32 step = (i32)REJECTED_SLOT(count, size, 1u) - (i32)REJECTED_SLOT(count, size, 0u);
      OUT* other = gathered_rejected + slot;
#pragma unroll
      for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
          const u64 i = begin + span_index() + r * RUN + k;
          const bool kept = (flags[r / FLAG_RUNS] >> (r % FLAG_RUNS * RUN + k) & 1u) != 0;
          const OUT value = SELECTED(item_of(run[r], k), i);
          if (STORES_REJECTED) {
            if (i < n) *(kept ? next : other) = value;
            other += kept ? 0 : step;
          } else if (kept) {
            *next = value;
          }
          next += kept ? 1 : 0;
        }
      }
      fence_async_local();
    }
    lane_barrier();

    // --- Store it ---
    store_gathered(gathered, to, stored_of(count, at, room));
    if (STORES_REJECTED) {
      store_gathered(gathered_rejected, rejected_to, stored_of(rejected, rejected_at, room));
    }
    next_turn(&turn);
  }
  // Afterwards no copy reads local memory.
  if (lane_index() == 0) wait_copies_out();
}
