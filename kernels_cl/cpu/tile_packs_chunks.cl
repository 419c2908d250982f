// Part tile_packs_chunks:
// tiles of a scan by one work-item, for CPU devices, of integers of one type, a pack of 16
// bytes at a time.
// Provides: tile_folds
// Uses: total, elements, caches_chunks

#define ORDER_RUN 0  // Not RUN: no association has to be kept.
#define NEUTRAL ((Lane)(IDENTITY))

// A pack that starts where an element may. vload and vstore would say the same, but PoCL's go lane
// by lane where these are bytes.
typedef Pack PackAnywhere __attribute__((aligned(sizeof(Lane))));

// Lanes moved up by a power of two, neutral elements behind them; and the last lane.
#if PACK_LANES == 16
#define UP_1(v) ((Pack)(NEUTRAL, (v).s012, (v).s3456, (v).s789abcde))
#define UP_2(v) ((Pack)(NEUTRAL, NEUTRAL, (v).s01, (v).s2345, (v).s6789abcd))
#define UP_4(v) ((Pack)(NEUTRAL, NEUTRAL, NEUTRAL, NEUTRAL, (v).s0123, (v).s456789ab))
#define UP_8(v) ((Pack)((VECTOR(LANE_NAME, 8))(NEUTRAL), (v).lo))
#define LAST(v) ((v).sf)
#elif PACK_LANES == 8
#define UP_1(v) ((Pack)(NEUTRAL, (v).s012, (v).s3456))
#define UP_2(v) ((Pack)(NEUTRAL, NEUTRAL, (v).s01, (v).s2345))
#define UP_4(v) ((Pack)((VECTOR(LANE_NAME, 4))(NEUTRAL), (v).lo))
#define LAST(v) ((v).s7)
#elif PACK_LANES == 4
#define UP_1(v) ((Pack)(NEUTRAL, (v).s012))
#define UP_2(v) ((Pack)(NEUTRAL, NEUTRAL, (v).lo))
#define LAST(v) ((v).s3)
#else
#define UP_1(v) ((Pack)(NEUTRAL, (v).s0))
#define LAST(v) ((v).s1)
#endif

DEVICE Pack load_pack(Elements input, u64 i) { return *(const __global PackAnywhere*)(input + i); }

// Inclusive values within a pack.
DEVICE Pack prefix_of(Pack pack) {
  pack = COMBINE_PACKS(UP_1(pack), pack);
#if PACK_LANES > 2
  pack = COMBINE_PACKS(UP_2(pack), pack);
#endif
#if PACK_LANES > 4
  pack = COMBINE_PACKS(UP_4(pack), pack);
#endif
#if PACK_LANES > 8
  pack = COMBINE_PACKS(UP_8(pack), pack);
#endif
  return pack;
}

#define PACKS_AT_ONCE 8  // Independent sums.
typedef char tile_holds_whole_packs[TILE % (PACKS_AT_ONCE * PACK_LANES) == 0 ? 1 : -1];

// The total of the full tile from `begin` on.
DEVICE ACC total_of_tile(Elements input, u64 begin, u64 n) {
  Pack sums[PACKS_AT_ONCE];
#pragma unroll
  for (u32 s = 0; s < PACKS_AT_ONCE; ++s) sums[s] = (Pack)(NEUTRAL);
  for (u32 i = 0; i < TILE; i += PACKS_AT_ONCE * PACK_LANES) {
#pragma unroll
    for (u32 s = 0; s < PACKS_AT_ONCE; ++s) {
      sums[s] = COMBINE_PACKS(sums[s], load_pack(input, begin + i + s * PACK_LANES));
    }
  }
#pragma unroll
  for (u32 width = PACKS_AT_ONCE / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 s = 0; s < width; ++s) sums[s] = COMBINE_PACKS(sums[s], sums[s + width]);
  }
  return (ACC)LAST(prefix_of(sums[0]));
}

#if PACK_LANES == 2
#define ITEMS_AT_ONCE 8  // Stored behind one another.

// Scans elements from i on, as many at once as long as there are so many before `end`; i and
// `running`, what lies in front, are moved on. To scan a pack of two takes more than to add one
// element to the next.
DEVICE void scan_items(Elements input, u64* i, u64 end, ACC* running, __global OUT* output) {
  for (; *i + ITEMS_AT_ONCE <= end; *i += ITEMS_AT_ONCE) {
    OUT results[ITEMS_AT_ONCE];
#pragma unroll
    for (u32 k = 0; k < ITEMS_AT_ONCE; ++k) {
      const ACC earlier = *running;
      *running = COMBINE(earlier, lift_element(load_element(input, *i + k), *i + k));
      results[k] = TO_OUT(INCLUSIVE ? *running : earlier);
    }
#pragma unroll
    for (u32 k = 0; k < ITEMS_AT_ONCE; ++k) output[*i + k] = results[k];
  }
}
#endif

// Scans the tile from `tile` on, of which `before` lies in front.
DEVICE void scan_one_tile(Elements input, u64 tile, u64 n, ACC before, ACC after,
                          __global OUT* output TOTAL_PARAMETERS) {
  const u64 end = tile + TILE < n ? tile + TILE : n;
  const bool past = goes_past_caches(input, output, n);
  u64 i = tile;
#if PACK_LANES == 2
  if (!past) scan_items(input, &i, end, &before, output);
#endif
  Pack carry = (Pack)((Lane)before);
  for (; i + PACK_LANES <= end; i += PACK_LANES) {
    const Pack prefix = prefix_of(load_pack(input, i));
    const Pack result = COMBINE_PACKS(carry, INCLUSIVE ? prefix : UP_1(prefix));
    if (past) {
      STORE_PAST_CACHES(result, (__global Pack*)(output + i));
    } else {
      *(__global PackAnywhere*)(output + i) = result;
    }
    // From one pack to the next only this waits: not for the last lane of a result.
    carry = COMBINE_PACKS(carry, (Pack)(LAST(prefix)));
  }

  // --- Elements behind the last pack ---
  ACC rest = (ACC)LAST(carry);
  for (; i < end; ++i) {
    const ACC earlier = rest;
    rest = COMBINE(rest, lift_element(load_element(input, i), i));
    output[i] = TO_OUT(INCLUSIVE ? rest : earlier);
  }
  LEAVE_TOTAL(end == n, rest);
}
