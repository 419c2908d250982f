// Part packs_of_values_chunks: packs that lie in memory as they are computed with.
// Provides: stored_packs

typedef Pack StoredPack;

DEVICE Pack pack_of(StoredPack stored) { return stored; }

DEVICE StoredPack stored_pack(Pack pack) { return pack; }

// Part packs_of_f16_chunks: packs of f16 in memory, rounded as f16_of_f32() rounds one.
// Provides: stored_packs
// Uses: f16_conversions

typedef ushort8 StoredPack;

#ifdef HAS_FLOAT16
typedef _Float16 Halves __attribute__((ext_vector_type(8)));

DEVICE Pack pack_of(StoredPack stored) {
  return __builtin_convertvector(__builtin_astype(stored, Halves), Pack);
}

DEVICE StoredPack stored_pack(Pack pack) {
  return __builtin_astype(__builtin_convertvector(pack, Halves), StoredPack);
}
#else
DEVICE Pack pack_of(StoredPack stored) {
  u16 bits[PACK_LANES];
  f32 value[PACK_LANES];
  vstore8(stored, 0, bits);
  for (u32 l = 0; l < PACK_LANES; ++l) value[l] = f32_of_f16(f16_of_bits(bits[l]));
  return vload8(0, value);
}

DEVICE StoredPack stored_pack(Pack pack) {
  f32 value[PACK_LANES];
  u16 bits[PACK_LANES];
  vstore8(pack, 0, value);
  for (u32 l = 0; l < PACK_LANES; ++l) bits[l] = f16_of_f32(value[l]).bits;
  return vload8(0, bits);
}
#endif

// Part packs_of_bf16_chunks: packs of bf16 in memory, rounded as bf16_of_f32() rounds one.
// Provides: stored_packs
// Uses: bf16_conversions

typedef ushort8 StoredPack;

DEVICE Pack pack_of(StoredPack stored) { return as_float8(convert_uint8(stored) << 16); }

DEVICE StoredPack stored_pack(Pack pack) {
  const uint8 bits = as_uint8(pack);
  const uint8 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return convert_ushort8(pack == pack ? nearest : bits >> 16 | 0x40);
}

// Part order_strip_packs_chunks:
// strips of a scan in order v1 by one work-item, for CPU devices, of floating-point values
// of one type, or of halves. A pack has one value of each row of the strip, as rows are
// independent of one another almost to the end: what a row combines is then combined by packs,
// without exchanges.
// Provides: strip_folds
// Uses: total, elements, caches_chunks, stored_packs, strip_shape_chunks

#ifdef __has_warning
#if __has_warning("-Wpsabi")
// Where registers are shorter than packs, clang warns of calls that pass packs. All are inlined.
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

typedef char pack_has_every_row[PACK_LANES == STRIP_ROWS ? 1 : -1];
typedef char rows_are_eight[STRIP_ROWS == 8 ? 1 : -1];
// A run as it lies in memory, from where an element may start on, and what is stored at once.
typedef VECTOR(IN_NAME, RUN) Run;
typedef Run RunAnywhere __attribute__((aligned(sizeof(IN))));
typedef uint4 Unit;
typedef union {
  Run run;
  IN item[RUN];
} RunItems;

// Folds of a strip: sum[k][l] of elements 0 to k of run l of every row, prefix[l] of runs 0 to l.
typedef struct {
  Pack sum[RUN - 1][ROW_RUNS];
  Pack prefix[ROW_RUNS];
} Strip;

// From runs to elements of every row, and back: with RUN packs of runs, of which part p of pack j
// is of row j + RUN * p, pack k gets element k of the rows in order. Nothing crosses 16 bytes,
// which is more than moving within them on many CPUs.
#if RUN == 4
#define RUNS_OF(row, j) ((StoredPack)((row)[j], (row)[(j) + 4]))
#define RUNS_IN(pack) (pack).lo, (pack).hi
#define LOW_LANES(a, b) ((Pack)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5))
#define HIGH_LANES(a, b) ((Pack)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7))
DEVICE void transpose(Pack of[RUN]) {
  const Pack low[2] = {LOW_LANES(of[0], of[1]), LOW_LANES(of[2], of[3])};
  const Pack high[2] = {HIGH_LANES(of[0], of[1]), HIGH_LANES(of[2], of[3])};
  of[0] = (Pack)(low[0].s01, low[1].s01, low[0].s45, low[1].s45);
  of[1] = (Pack)(low[0].s23, low[1].s23, low[0].s67, low[1].s67);
  of[2] = (Pack)(high[0].s01, high[1].s01, high[0].s45, high[1].s45);
  of[3] = (Pack)(high[0].s23, high[1].s23, high[0].s67, high[1].s67);
}
#else
#define RUNS_OF(row, j) ((StoredPack)((row)[j], (row)[(j) + 2], (row)[(j) + 4], (row)[(j) + 6]))
#define RUNS_IN(pack) (pack).s01, (pack).s23, (pack).s45, (pack).s67
DEVICE void transpose(Pack of[RUN]) {
  const Pack a = of[0];
  const Pack b = of[1];
  of[0] = (Pack)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
  of[1] = (Pack)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
}
#endif

DEVICE Run load_run(Elements input, u64 i, u64 n, bool whole) {
  if (whole) return *(const __global RunAnywhere*)(input + i);
  RunItems items;
  for (u32 k = 0; k < RUN; ++k) items.item[k] = i + k < n ? input[i + k] : TO_OUT(IDENTITY);
  return items.run;
}

// Run l of every row: of[k] has element k.
DEVICE void load_runs(Elements input, u64 begin, u64 n, bool whole, u32 l, Pack of[RUN]) {
  Run row[STRIP_ROWS];
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    row[r] = load_run(input, begin + (r * ROW_RUNS + l) * RUN, n, whole);
  }
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) of[j] = pack_of(RUNS_OF(row, j));
  transpose(of);
}

// Run l of every row, of[k] with element k, to `output` or, where that is null, to `staged`.
DEVICE void put_runs(const Pack of[RUN], u32 l, Run staged[STRIP / RUN], __global OUT* output) {
  Pack runs[RUN];
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) runs[k] = of[k];
  transpose(runs);
#pragma unroll
  for (u32 j = 0; j < RUN; ++j) {
    const StoredPack stored = stored_pack(runs[j]);
    const Run part[STRIP_ROWS / RUN] = {RUNS_IN(stored)};
#pragma unroll
    for (u32 p = 0; p < STRIP_ROWS / RUN; ++p) {
      const u32 u = (j + RUN * p) * ROW_RUNS + l;
      if (output) {
        *(__global RunAnywhere*)(output + u * RUN) = part[p];
      } else {
        staged[u] = part[p];
      }
    }
  }
}

DEVICE Lane lane_of(Pack pack, u32 lane) {
  Lane item[PACK_LANES];
  PASTE(vstore, PACK_LANES)(pack, 0, item);
  return item[lane];
}

// The fold of rows, from left to right.
DEVICE ACC fold_rows(Pack rows) {
  ACC strip = lane_of(rows, 0);
#pragma unroll
  for (u32 r = 1; r < STRIP_ROWS; ++r) strip = COMBINE(strip, lane_of(rows, r));
  return strip;
}

DEVICE void fold_runs(Elements input, u64 begin, u64 n, bool whole, Strip* strip) {
  // The Kogge-Stone prefix of every row: what is one and two steps apart on the way.
  Pack one = (Pack)(IDENTITY);
  Pack two[2] = {one, one};
  for (u32 g = 0; g < ROW_RUNS; g += 2) {
#pragma unroll
    for (u32 u = 0; u < 2; ++u) {
      const u32 l = g + u;
      Pack of[RUN];
      // Two strips ahead, in order: no CPU guesses what the loads of many rows come to.
      if (whole) load_ahead(input + begin, 2 * STRIP + l * (STRIP / ROW_RUNS), STRIP / ROW_RUNS);
      load_runs(input, begin, n, whole, l, of);
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        strip->sum[k - 1][l] = of[k - 1];
        of[k] = COMBINE_PACKS(of[k - 1], of[k]);
      }
      const Pack pair = COMBINE_PACKS(one, of[RUN - 1]);
      strip->prefix[l] = COMBINE_PACKS(two[u], pair);
      one = of[RUN - 1];
      two[u] = pair;
    }
  }
}

// The total of a strip, and what a scan of it takes.
DEVICE ACC fold_strip(Elements input, u64 begin, u64 n, Strip* strip) {
  if (begin + STRIP <= n) {
    fold_runs(input, begin, n, true, strip);
  } else {
    fold_runs(input, begin, n, false, strip);
  }
  // The other steps, in place.
  Pack* prefix = strip->prefix;
#pragma unroll
  for (u32 distance = 4; distance < ROW_RUNS; distance *= 2) {
    for (u32 l = ROW_RUNS - 1; l >= distance; --l) {
      prefix[l] = COMBINE_PACKS(prefix[l - distance], prefix[l]);
    }
  }
  return fold_rows(prefix[ROW_RUNS - 1]);
}

// The results of run l of every row, `border` in front of it and `next` in front of the run behind
// it. That is the run's last value, too: its border and its total would be another association.
DEVICE void scan_run(const Strip* strip, u32 l, Pack border, Pack next, u64 last,
                     Run staged[STRIP / RUN], __global OUT* output TOTAL_PARAMETERS) {
  Pack of[RUN + 1];
  of[0] = border;
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) of[k] = COMBINE_PACKS(border, strip->sum[k - 1][l]);
  of[RUN] = next;
  LEAVE_TOTAL(last < STRIP && last / RUN % ROW_RUNS == l,
              lane_of(of[last % RUN + 1], (u32)(last / (RUN * ROW_RUNS))));
  put_runs(of + INCLUSIVE, l, staged, output);
}

// The results of all rows, `first` in front of them and `end` behind.
DEVICE void scan_rows(const Strip* strip, Pack first, Pack end, u64 last, Run staged[STRIP / RUN],
                      __global OUT* output TOTAL_PARAMETERS) {
  Pack border = first;
  for (u32 l = 0; l < ROW_RUNS - 1; ++l) {
    const Pack next = COMBINE_PACKS(first, strip->prefix[l]);
    scan_run(strip, l, border, next, last, staged, output TOTAL_ARGUMENTS);
    border = next;
  }
  scan_run(strip, ROW_RUNS - 1, border, end, last, staged, output TOTAL_ARGUMENTS);
}

// Scans the strip that fold_strip() took, of which `before` lies in front, and `after` in front of
// the next.
DEVICE void scan_strip(const Strip* strip, Elements input, u64 begin, u64 n, ACC before, ACC after,
                       __global OUT* output TOTAL_PARAMETERS) {
  Lane borders[STRIP_ROWS + 1];
  ACC rows = IDENTITY;
  borders[0] = before;
#pragma unroll
  for (u32 r = 1; r < STRIP_ROWS; ++r) {
    const ACC row = lane_of(strip->prefix[ROW_RUNS - 1], r - 1);
    rows = r == 1 ? row : COMBINE(rows, row);
    borders[r] = COMBINE(before, rows);
  }
  borders[STRIP_ROWS] = after;
  const Pack first = PASTE(vload, PACK_LANES)(0, borders);
  const Pack end = PASTE(vload, PACK_LANES)(0, borders + 1);

  const u64 last = n - 1 - begin;
  const bool whole = last >= STRIP - 1;
  if (whole && !goes_past_caches(input, output, n)) {
    scan_rows(strip, first, end, last, 0, output + begin TOTAL_ARGUMENTS);
    return;
  }
  // In order: lines that are left in parts are slow where no cache has them.
  Run staged[STRIP / RUN] __attribute__((aligned(sizeof(Unit))));
  scan_rows(strip, first, end, last, staged, 0 TOTAL_ARGUMENTS);
  if (whole) {
    for (u32 u = 0; u < STRIP * sizeof(OUT) / sizeof(Unit); ++u) {
      STORE_PAST_CACHES(((const Unit*)staged)[u], (__global Unit*)(output + begin) + u);
    }
  } else {
    for (u32 i = 0; i <= last; ++i) {
      RunItems items;
      items.run = staged[i / RUN];
      output[begin + i] = items.item[i % RUN];
    }
  }
}
