// Part vectors_of_values_chunks: vectors that lie in memory as they are computed with.
// Provides: stored_vectors

typedef Vector StoredVector;
#define STORED_NAME LANE_NAME

DEVICE Vector vector_of(StoredVector stored) { return stored; }

DEVICE StoredVector stored_vector(Vector vector) { return vector; }

// Part vectors_of_f16_chunks: vectors of f16 in memory, rounded as f16_of_f32() rounds one.
// Provides: stored_vectors
// Uses: f16_conversions

typedef ushort8 StoredVector;
#define STORED_NAME u16

#ifdef HAS_FLOAT16
typedef _Float16 Halves __attribute__((ext_vector_type(8)));

DEVICE Vector vector_of(StoredVector stored) {
  return __builtin_convertvector(__builtin_astype(stored, Halves), Vector);
}

DEVICE StoredVector stored_vector(Vector vector) {
  return __builtin_astype(__builtin_convertvector(vector, Halves), StoredVector);
}
#else
DEVICE Vector vector_of(StoredVector stored) {
  u16 bits[VECTOR_LANES];
  f32 value[VECTOR_LANES];
  vstore8(stored, 0, bits);
  for (u32 l = 0; l < VECTOR_LANES; ++l) value[l] = f32_of_f16(f16_of_bits(bits[l]));
  return vload8(0, value);
}

DEVICE StoredVector stored_vector(Vector vector) {
  f32 value[VECTOR_LANES];
  u16 bits[VECTOR_LANES];
  vstore8(vector, 0, value);
  for (u32 l = 0; l < VECTOR_LANES; ++l) bits[l] = f16_of_f32(value[l]).bits;
  return vload8(0, bits);
}
#endif

// Part vectors_of_bf16_chunks: vectors of bf16 in memory, rounded as bf16_of_f32() rounds one.
// Provides: stored_vectors
// Uses: bf16_conversions

typedef ushort8 StoredVector;
#define STORED_NAME u16

DEVICE Vector vector_of(StoredVector stored) { return as_float8(convert_uint8(stored) << 16); }

DEVICE StoredVector stored_vector(Vector vector) {
  const uint8 bits = as_uint8(vector);
  const uint8 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return convert_ushort8(vector == vector ? nearest : bits >> 16 | 0x40);
}

// Part run_vectors_chunks: runs of eight rows, and vectors of an element of each of them.
// Provides: run_vectors_chunks
// Uses: stored_vectors

#ifdef __has_warning
#if __has_warning("-Wpsabi")
// If registers are shorter than vectors, clang warns of calls that pass vectors. All calls are
// inlined.
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

typedef char rows_are_eight[VECTOR_LANES == 8 ? 1 : -1];
// A run as it lies in memory, from where an element may start on, and what is stored at once.
typedef VECTOR(STORED_NAME, RUN) Run;
typedef Run RunAnywhere __attribute__((aligned(sizeof(IN))));
typedef union {
  Run run;
  IN item[RUN];
} RunItems;

// Transposes runs to elements of every row, and back. There are RUN vectors of runs; part p of
// vector j belongs to row j + RUN * p. Vector k gets element k of the rows in order. Elements move
// only within 16 bytes: on many CPUs crossing them is slower.
#if RUN == 4
#define RUNS_OF(row, j) ((StoredVector)((row)[j], (row)[(j) + 4]))
#define RUNS_IN(vector) (vector).lo, (vector).hi
#define LOW_LANES(a, b) ((Vector)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5))
#define HIGH_LANES(a, b) ((Vector)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7))
DEVICE void transpose(Vector of[RUN]) {
  const Vector low[2] = {LOW_LANES(of[0], of[1]), LOW_LANES(of[2], of[3])};
  const Vector high[2] = {HIGH_LANES(of[0], of[1]), HIGH_LANES(of[2], of[3])};
  of[0] = (Vector)(low[0].s01, low[1].s01, low[0].s45, low[1].s45);
  of[1] = (Vector)(low[0].s23, low[1].s23, low[0].s67, low[1].s67);
  of[2] = (Vector)(high[0].s01, high[1].s01, high[0].s45, high[1].s45);
  of[3] = (Vector)(high[0].s23, high[1].s23, high[0].s67, high[1].s67);
}
#else
#define RUNS_OF(row, j) ((StoredVector)((row)[j], (row)[(j) + 2], (row)[(j) + 4], (row)[(j) + 6]))
#define RUNS_IN(vector) (vector).s01, (vector).s23, (vector).s45, (vector).s67
DEVICE void transpose(Vector of[RUN]) {
  const Vector a = of[0];
  const Vector b = of[1];
  of[0] = (Vector)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
  of[1] = (Vector)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
}
#endif

// Part order_warp_tile_vectors_chunks: warp tiles of a scan in order v1, each by one work-item of a
// CPU, of floating-point values of one type or of halves. A vector has one value of each row of the
// warp tile: rows are independent almost to the end, so rows are combined by vectors, without
// exchange.
// Provides: warp_tile_folds
// Uses: total, elements, caches_chunks, run_vectors_chunks, warp_tile_shape_chunks, load_ahead

typedef char vector_has_every_row[VECTOR_LANES == WARP_TILE_ROWS ? 1 : -1];

// Folds of a warp tile: sum[k][l] of elements 0 to k of run l of every row, prefix[l] of runs 0 to
// l.
typedef struct {
  Vector sum[RUN - 1][ROW_RUNS];
  Vector prefix[ROW_RUNS];
} WarpTile;

DEVICE Run load_run(Elements input, u64 i, u64 n, bool whole) {
  if (whole) return *(const __global RunAnywhere*)(input + i);
  RunItems items;
  for (u32 k = 0; k < RUN; ++k) items.item[k] = i + k < n ? input[i + k] : TO_OUT(IDENTITY);
  return items.run;
}

// Run l of every row: of[k] has element k.
DEVICE void load_runs(Elements input, u64 begin, u64 n, bool whole, u32 l, Vector of[RUN]) {
  Run row[WARP_TILE_ROWS];
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    row[r] = load_run(input, begin + (r * ROW_RUNS + l) * RUN, n, whole);
  }
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) of[j] = vector_of(RUNS_OF(row, j));
  transpose(of);
}

// Run l of every row, of[k] with element k, to `output` or, where that is null, to `staged`.
DEVICE void put_runs(const Vector of[RUN], u32 l, Run staged[WARP_TILE / RUN],
                     __global OUT* output) {
  Vector runs[RUN];
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) runs[k] = of[k];
  transpose(runs);
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) {
    const StoredVector stored = stored_vector(runs[j]);
    const Run part[WARP_TILE_ROWS / RUN] = {RUNS_IN(stored)};
#pragma unroll
    for (u32 p = 0; p < WARP_TILE_ROWS / RUN; ++p) {
      const u32 u = (j + RUN * p) * ROW_RUNS + l;
      if (output) {
        *(__global RunAnywhere*)(output + u * RUN) = part[p];
      } else {
        staged[u] = part[p];
      }
    }
  }
}

DEVICE Lane lane_of(Vector vector, u32 lane) {
  Lane item[VECTOR_LANES];
  PASTE(vstore, VECTOR_LANES)(vector, 0, item);
  return item[lane];
}

// The fold of rows, from left to right.
DEVICE ACC fold_rows(Vector rows) {
  ACC warp_tile = lane_of(rows, 0);
#pragma unroll
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) warp_tile = COMBINE(warp_tile, lane_of(rows, r));
  return warp_tile;
}

DEVICE void fold_runs(Elements input, u64 begin, u64 n, bool whole, WarpTile* warp_tile) {
  // The Kogge-Stone prefix of every row: what is one and two steps apart on the way.
  Vector one = (Vector)(IDENTITY);
  Vector two[2] = {one, one};
  for (u32 g = 0; g < ROW_RUNS; g += 2) {
#pragma unroll
    for (u32 u = 0; u < 2; ++u) {
      const u32 l = g + u;
      Vector of[RUN];
      // Two warp tiles ahead, in order: no CPU predicts the loads of so many rows.
      if (whole)
        load_ahead(input + begin, 2 * WARP_TILE + l * (WARP_TILE / ROW_RUNS), WARP_TILE / ROW_RUNS);
      load_runs(input, begin, n, whole, l, of);
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        warp_tile->sum[k - 1][l] = of[k - 1];
        of[k] = COMBINE_VECTORS(of[k - 1], of[k]);
      }
      const Vector pair = COMBINE_VECTORS(one, of[RUN - 1]);
      warp_tile->prefix[l] = COMBINE_VECTORS(two[u], pair);
      one = of[RUN - 1];
      two[u] = pair;
    }
  }
}

// The total of a warp tile, and what a scan of it takes.
DEVICE ACC fold_warp_tile(Elements input, u64 begin, u64 n, WarpTile* warp_tile) {
  if (begin + WARP_TILE <= n) {
    fold_runs(input, begin, n, true, warp_tile);
  } else {
    fold_runs(input, begin, n, false, warp_tile);
  }
  // The other steps, in place.
  Vector* prefix = warp_tile->prefix;
#pragma unroll
  for (u32 distance = 4; distance < ROW_RUNS; distance *= 2) {
    for (u32 l = ROW_RUNS - 1; l >= distance; --l) {
      prefix[l] = COMBINE_VECTORS(prefix[l - distance], prefix[l]);
    }
  }
  return fold_rows(prefix[ROW_RUNS - 1]);
}

// The results of run l of every row. `border` is the prefix of the run, `next` that of the
// following run. `next` is also the run's last inclusive value: border and total would be combined
// in another association.
DEVICE void scan_run(const WarpTile* warp_tile, u32 l, Vector border, Vector next, u64 last,
                     Run staged[WARP_TILE / RUN], __global OUT* output TOTAL_PARAMETERS) {
  Vector of[RUN + 1];
  of[0] = border;
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) of[k] = COMBINE_VECTORS(border, warp_tile->sum[k - 1][l]);
  of[RUN] = next;
  LEAVE_TOTAL(last < WARP_TILE && last / RUN % ROW_RUNS == l,
              lane_of(of[last % RUN + 1], (u32)(last / (RUN * ROW_RUNS))));
  put_runs(of + INCLUSIVE, l, staged, output);
}

// The results of all rows, `first` in front of them and `end` behind.
DEVICE void scan_rows(const WarpTile* warp_tile, Vector first, Vector end, u64 last,
                      Run staged[WARP_TILE / RUN], __global OUT* output TOTAL_PARAMETERS) {
  Vector border = first;
  for (u32 l = 0; l < ROW_RUNS - 1; ++l) {
    const Vector next = COMBINE_VECTORS(first, warp_tile->prefix[l]);
    scan_run(warp_tile, l, border, next, last, staged, output TOTAL_ARGUMENTS);
    border = next;
  }
  scan_run(warp_tile, ROW_RUNS - 1, border, end, last, staged, output TOTAL_ARGUMENTS);
}

// Scans the warp tile that fold_warp_tile() took, of which `before` lies in front, and `after` in
// front of the next.
DEVICE void scan_warp_tile(const WarpTile* warp_tile, Elements input, u64 begin, u64 n, ACC before,
                           ACC after, __global OUT* output TOTAL_PARAMETERS) {
  Lane borders[WARP_TILE_ROWS + 1];
  ACC rows = IDENTITY;
  borders[0] = before;
#pragma unroll
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) {
    const ACC row = lane_of(warp_tile->prefix[ROW_RUNS - 1], r - 1);
    rows = r == 1 ? row : COMBINE(rows, row);
    borders[r] = COMBINE(before, rows);
  }
  borders[WARP_TILE_ROWS] = after;
  const Vector first = PASTE(vload, VECTOR_LANES)(0, borders);
  const Vector end = PASTE(vload, VECTOR_LANES)(0, borders + 1);

  const u64 last = n - 1 - begin;
  const bool whole = last >= WARP_TILE - 1;
  if (whole && !goes_past_caches(input, output, n)) {
    scan_rows(warp_tile, first, end, last, 0, output + begin TOTAL_ARGUMENTS);
    return;
  }
  // In order: lines that are written in parts are slow when no cache holds them.
  Run staged[WARP_TILE / RUN] __attribute__((aligned(sizeof(uint4))));
  scan_rows(warp_tile, first, end, last, staged, 0 TOTAL_ARGUMENTS);
  if (whole) {
    for (u32 u = 0; u < WARP_TILE * sizeof(OUT) / sizeof(uint4); ++u) {
      STORE_PAST_CACHES(((const uint4*)staged)[u], (__global uint4*)(output + begin) + u);
    }
  } else {
    for (u32 i = 0; i <= last; ++i) {
      RunItems items;
      items.run = staged[i / RUN];
      output[begin + i] = items.item[i % RUN];
    }
  }
}
