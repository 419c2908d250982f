// Part lane_elements_chunks: eight lines, or tiles of a line, that a CPU's work-item walks along at
// once, each in a lane.
// Provides: lane_elements_chunks
// Uses: line_elements

#define LINE_LANES 8
#define ROW (RUN * ROW_RUNS)
#define INLINE DEVICE __attribute__((always_inline))

// Where a row that lies as in memory has its element e.
#define place_in_row(e) (REVERSED ? ROW - 1 - (e) : (e))

// Whether the elements of a line are neighbours in memory, in either direction.
DEVICE bool are_side_by_side(LineStrides strides) { return UNIT_STRIDE || strides.element == 1; }

// How far an element lies behind the one that is combined e elements earlier.
DEVICE u64 behind_in_line(u64 e, u64 stride) { return REVERSED ? (u64)0 - e * stride : e * stride; }

typedef struct {
  LineElements from[LINE_LANES];
  u64 i;            // The first element of lane 0 in its line.
  u64 apart;        // How much later the next lane begins.
  bool neighbours;  // Whether elements of a lane are neighbours in memory, as results, too.
} LaneElements;

// Part lanes_of_values_chunks: an accumulator of each of eight lines, in a vector.
// Provides: line_lanes
// Uses: lane_elements_chunks, run_vectors_chunks, past_caches_chunks

typedef char lanes_are_vectors[VECTOR_LANES == LINE_LANES ? 1 : -1];

typedef Vector Lanes;
// As it lies in memory, from where an element may start on.
typedef StoredVector StoredAnywhere __attribute__((aligned(sizeof(IN))));

INLINE void spread(ACC value, Lanes* lanes) { *lanes = (Vector)((Lane)value); }
INLINE void put_lane(Lanes* lanes, u32 lane, ACC value) { ((Lane*)lanes)[lane] = (Lane)value; }
INLINE ACC lane_of(const Lanes* lanes, u32 lane) { return (ACC)((const Lane*)lanes)[lane]; }
INLINE void combine_lanes(const Lanes* left, const Lanes* right, Lanes* to) {
  *to = COMBINE_VECTORS(*left, *right);
}

// Loads a run from element e of each lane on, of which `items` elements exist, one by one.
INLINE void load_items(const LaneElements* lanes, LinePlaces places, u64 e, u32 items, u64 n,
                       Lanes of[RUN]) {
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    spread(IDENTITY, &of[k]);
    if (k < items) {
      const u64 behind = behind_in_line(e + k, ELEMENT_STRIDE(places.input));
#pragma unroll
      for (u32 lane = 0; lane < LINE_LANES; ++lane) {
        const Element element = first_element(elements_beside(lanes->from[lane], behind));
        const u64 i = lanes->i + lane * lanes->apart + e + k;
        put_lane(&of[k], lane, lift_in_line(element, i, n));
      }
    }
  }
}

// The same. Elements that are neighbours are loaded as vectors; where few exist, with those before
// them.
INLINE void load_runs(const LaneElements* lanes, LinePlaces places, u64 e, u32 items, u64 n,
                      Lanes of[RUN]) {
  if (!lanes->neighbours || (lanes->i + e == 0 && items < RUN)) {
    load_items(lanes, places, e, items, n, of);
    return;
  }
  // A row ahead: no CPU predicts the loads of so many lines.
  const bool begins_line = e % (CACHE_LINE / sizeof(IN)) == 0;
  const u64 ahead = behind_in_line(e + ROW, 1);
  const u64 first = REVERSED ? (u64)1 - e - items : e + items - RUN;
  Run row[LINE_LANES];
#pragma unroll
  for (u32 lane = 0; lane < LINE_LANES; ++lane) {
    if (begins_line) LOAD_AHEAD((size_t)(lanes->from[lane].first + ahead));
    row[lane] = *(const __global RunAnywhere*)(lanes->from[lane].first + first);
  }
  Vector loaded[RUN];
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) loaded[j] = vector_of(RUNS_OF(row, j));
  transpose(loaded);
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) of[k] = loaded[REVERSED ? RUN - 1 - k : k];
#pragma unroll
  for (u32 absent = RUN - 1; absent > 0; --absent) {
    if (items + absent == RUN) {
#pragma unroll
      for (u32 k = 0; k < RUN - absent; ++k) of[k] = of[k + absent];
    }
  }
}

// Puts the results of run `e / RUN` of each line to those of its row, which lie as in memory.
INLINE void put_runs(const Lanes* results, u32 e, OUT* row) {
  Vector runs[RUN];
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) runs[k] = results[REVERSED ? RUN - 1 - k : k];
  transpose(runs);
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) {
    const StoredVector stored = stored_vector(runs[j]);
    const Run part[LINE_LANES / RUN] = {RUNS_IN(stored)};
#pragma unroll
    for (u32 p = 0; p < LINE_LANES / RUN; ++p) {
      *(RunAnywhere*)(row + (j + RUN * p) * ROW + place_in_row(e + REVERSED * (RUN - 1))) = part[p];
    }
  }
}

// Stores `count` results that lie behind one another.
INLINE void store_neighbours(const OUT* row, __global OUT* to, u32 count) {
  if (count < RUN) {
    for (u32 e = 0; e < count; ++e) to[e] = row[e];
    return;
  }
  for (u32 e = 0; e + RUN <= count; e += RUN) {
    *(__global RunAnywhere*)(to + e) = *(const RunAnywhere*)(row + e);
  }
  *(__global RunAnywhere*)(to + count - RUN) = *(const RunAnywhere*)(row + count - RUN);
}

// Loads an element of each of so many lines, and stores a result of each.
INLINE void load_whole_column(LineElements from, u64 i, u64 n, Lanes* to) {
  *to = vector_of(*(const __global StoredAnywhere*)from.first);
}
INLINE void store_whole_column(const Lanes* from, __global OUT* to, bool past) {
  const StoredVector stored = stored_vector(*from);
  if (past && sizeof(stored) % sizeof(uint4) == 0 && (size_t)to % sizeof(uint4) == 0) {
#pragma unroll
    for (u32 p = 0; p < sizeof(stored) / sizeof(uint4); ++p) {
      STORE_PAST_CACHES(((const uint4*)&stored)[p], (__global uint4*)to + p);
    }
  } else {
    *(__global StoredAnywhere*)to = stored;
  }
}

// Part lane_combination_of_items_chunks: what lanes have is combined one by one.
// Provides: lane_combination
// Uses: lane_elements_chunks

INLINE void combine_items(const ACC* left, const ACC* right, ACC* to) {
  for (u32 lane = 0; lane < LINE_LANES; ++lane) to[lane] = COMBINE(left[lane], right[lane]);
}

// Part lane_combination_of_fields_chunks: structs whose fields have one operator are combined as
// arrays of fields, of which compilers make vectors.
// Provides: lane_combination
// Uses: lane_elements_chunks

typedef char fields_are_all[sizeof(ACC) == FIELDS * sizeof(FIELD) ? 1 : -1];

INLINE void combine_items(const ACC* left, const ACC* right, ACC* to) {
  const FIELD* a = (const FIELD*)left;
  const FIELD* b = (const FIELD*)right;
  FIELD* target = (FIELD*)to;
#if FIELDS <= 4  // More would only take longer to compile.
#pragma unroll
#endif
  for (u32 f = 0; f < LINE_LANES * FIELDS; ++f) target[f] = COMBINE_FIELDS(a[f], b[f]);
}

// Part lanes_of_items_chunks: an accumulator of each of eight lines, in an array.
// Provides: line_lanes
// Uses: lane_combination

typedef struct {
  ACC item[LINE_LANES];
} Lanes;

INLINE void spread(ACC value, Lanes* lanes) {
  for (u32 lane = 0; lane < LINE_LANES; ++lane) lanes->item[lane] = value;
}
INLINE void put_lane(Lanes* lanes, u32 lane, ACC value) { lanes->item[lane] = value; }
INLINE ACC lane_of(const Lanes* lanes, u32 lane) { return lanes->item[lane]; }
DEVICE void combine_lanes(const Lanes* left, const Lanes* right, Lanes* to) {
  combine_items(left->item, right->item, to->item);
}

// Loads a run from element e of each chunk on, of which `items` elements exist.
INLINE void load_runs(const LaneElements* lanes, LinePlaces places, u64 e, u32 items, u64 n,
                      Lanes of[RUN]) {
#pragma unroll
  for (u32 lane = 0; lane < LINE_LANES; ++lane) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      of[k].item[lane] = IDENTITY;
      if (k < items) {
        const u64 behind = behind_in_line(e + k, ELEMENT_STRIDE(places.input));
        const Element element = first_element(elements_beside(lanes->from[lane], behind));
        const u64 i = lanes->i + lane * lanes->apart + e + k;
        of[k].item[lane] = lift_in_line(element, i, n);
      }
    }
  }
}

// Puts the results of run `e / RUN` of each line to those of its row, which lie as in memory.
INLINE void put_runs(const Lanes* results, u32 e, OUT* row) {
#pragma unroll
  for (u32 lane = 0; lane < LINE_LANES; ++lane) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      row[lane * ROW + place_in_row(e + k)] = TO_OUT(results[k].item[lane]);
    }
  }
}

// Stores `count` results that lie behind one another.
INLINE void store_neighbours(const OUT* row, __global OUT* to, u32 count) {
  for (u32 e = 0; e < count; ++e) to[e] = row[e];
}

// Loads an element of each of so many lines, and stores a result of each.
INLINE void load_whole_column(LineElements from, u64 i, u64 n, Lanes* to) {
  for (u32 lane = 0; lane < LINE_LANES; ++lane) {
    to->item[lane] = lift_in_line(first_element(elements_beside(from, lane)), i, n);
  }
}
INLINE void store_whole_column(const Lanes* from, __global OUT* to, bool past) {
  for (u32 lane = 0; lane < LINE_LANES; ++lane) to[lane] = TO_OUT(from->item[lane]);
}
