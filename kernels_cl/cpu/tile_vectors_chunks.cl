// Part tile_vectors_chunks: tiles of a scan, each by one work-item of a CPU, of integers of one
// type, by vectors of 16 bytes.
// Provides: tile_folds
// Uses: total, elements, caches_chunks

#define ORDER_RUN 0  // Not RUN: no association has to be kept.
#define NEUTRAL ((Lane)(IDENTITY))

// A vector at the alignment of an element. vload and vstore would do, but PoCL's handle bytes lane
// by lane.
typedef Vector VectorAnywhere __attribute__((aligned(sizeof(Lane))));

// Lanes moved up by a power of two, neutral elements behind them; and the last lane.
#if VECTOR_LANES == 16
#define UP_1(v) ((Vector)(NEUTRAL, (v).s012, (v).s3456, (v).s789abcde))
#define UP_2(v) ((Vector)(NEUTRAL, NEUTRAL, (v).s01, (v).s2345, (v).s6789abcd))
#define UP_4(v) ((Vector)(NEUTRAL, NEUTRAL, NEUTRAL, NEUTRAL, (v).s0123, (v).s456789ab))
#define UP_8(v) ((Vector)((VECTOR(LANE_NAME, 8))(NEUTRAL), (v).lo))
#define LAST(v) ((v).sf)
#elif VECTOR_LANES == 8
#define UP_1(v) ((Vector)(NEUTRAL, (v).s012, (v).s3456))
#define UP_2(v) ((Vector)(NEUTRAL, NEUTRAL, (v).s01, (v).s2345))
#define UP_4(v) ((Vector)((VECTOR(LANE_NAME, 4))(NEUTRAL), (v).lo))
#define LAST(v) ((v).s7)
#elif VECTOR_LANES == 4
#define UP_1(v) ((Vector)(NEUTRAL, (v).s012))
#define UP_2(v) ((Vector)(NEUTRAL, NEUTRAL, (v).lo))
#define LAST(v) ((v).s3)
#else
#define UP_1(v) ((Vector)(NEUTRAL, (v).s0))
#define LAST(v) ((v).s1)
#endif

DEVICE Vector load_vector(Elements input, u64 i) {
  return *(const __global VectorAnywhere*)(input + i);
}

// Inclusive values within a vector.
DEVICE Vector prefix_of(Vector vector) {
  vector = COMBINE_VECTORS(UP_1(vector), vector);
#if VECTOR_LANES > 2
  vector = COMBINE_VECTORS(UP_2(vector), vector);
#endif
#if VECTOR_LANES > 4
  vector = COMBINE_VECTORS(UP_4(vector), vector);
#endif
#if VECTOR_LANES > 8
  vector = COMBINE_VECTORS(UP_8(vector), vector);
#endif
  return vector;
}

#define VECTORS_AT_ONCE 8  // Independent sums.
typedef char tile_holds_whole_vectors[TILE % (VECTORS_AT_ONCE * VECTOR_LANES) == 0 ? 1 : -1];

// The total of the full tile from `begin` on.
DEVICE ACC total_of_tile(Elements input, u64 begin, u64 n) {
  Vector sums[VECTORS_AT_ONCE];
#pragma unroll
  for (u32 s = 0; s < VECTORS_AT_ONCE; ++s) sums[s] = (Vector)(NEUTRAL);
  for (u32 i = 0; i < TILE; i += VECTORS_AT_ONCE * VECTOR_LANES) {
#pragma unroll
    for (u32 s = 0; s < VECTORS_AT_ONCE; ++s) {
      sums[s] = COMBINE_VECTORS(sums[s], load_vector(input, begin + i + s * VECTOR_LANES));
    }
  }
#pragma unroll
  for (u32 width = VECTORS_AT_ONCE / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 s = 0; s < width; ++s) sums[s] = COMBINE_VECTORS(sums[s], sums[s + width]);
  }
  return (ACC)LAST(prefix_of(sums[0]));
}

#if VECTOR_LANES == 2
#define ITEMS_AT_ONCE 8  // Stored behind one another.

// Scans elements from i on, ITEMS_AT_ONCE at a time, while that many remain before `end`. i and
// `running`, the prefix, are advanced. Scanning a vector of two elements would take more than
// adding one element to the next.
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
#if VECTOR_LANES == 2
  if (!past) scan_items(input, &i, end, &before, output);
#endif
  Vector carry = (Vector)((Lane)before);
  for (; i + VECTOR_LANES <= end; i += VECTOR_LANES) {
    const Vector prefix = prefix_of(load_vector(input, i));
    const Vector result = COMBINE_VECTORS(carry, INCLUSIVE ? prefix : UP_1(prefix));
    if (past) {
      STORE_PAST_CACHES(result, (__global Vector*)(output + i));
    } else {
      *(__global VectorAnywhere*)(output + i) = result;
    }
    // Only this depends on the previous vector, not the last lane of a result.
    carry = COMBINE_VECTORS(carry, (Vector)(LAST(prefix)));
  }

  // --- Elements behind the last vector ---
  ACC rest = (ACC)LAST(carry);
  for (; i < end; ++i) {
    const ACC earlier = rest;
    rest = COMBINE(rest, lift_element(load_element(input, i), i));
    output[i] = TO_OUT(INCLUSIVE ? rest : earlier);
  }
  LEAVE_TOTAL(end == n, rest);
}
