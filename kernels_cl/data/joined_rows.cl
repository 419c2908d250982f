// Part joined_rows_none:
// rows of packs that do not lie as lanes hold them: loaded element by element.
// Provides: joined_rows
// Uses: packs_in

#define JOINS_IN 0

DEVICE void load_joined_rows(const __global IN* own, u64 left, u32 rows, __private IN_PACK* pack) {}

// Part joined_rows_shuffle:
// rows of packs that do not lie as lanes hold them, loaded by shuffles: a pack is then the
// end of what a lane holds and the beginning of what the next one does.
// Provides: joined_rows
// Uses: lanes, packs_in, join_words

#define JOINS_IN (VEC > 1 && sizeof(IN) * VEC >= 4)  // Where packs are whole words.

typedef union {
  IN_PACK pack;
  u32 word[4];
} InWords;

// Loads `rows` rows of LANES packs, of which this lane's first begins at `own`. `left` elements of
// the input are from there on: where a pack would reach beyond them, elements are loaded one by
// one.
DEVICE void load_joined_rows(const __global IN* own, u64 left, u32 rows, __private IN_PACK* pack) {
  const u32 off = (u32)((size_t)own % sizeof(IN_PACK) / sizeof(IN));
  const u32 words = JOINS_IN ? sizeof(IN) * VEC / 4 : 0;
  const u32 handed = (sizeof(IN) * (VEC - 1) + 3) / 4;
  const u32 skew = off * sizeof(IN);
  const __global IN* from = own - off;
#pragma unroll
  for (u32 r = 0; r < rows; ++r) pack[r] = load_pack(from + r * LANES * VEC);
  InWords behind;
  behind.pack = pack[rows - 1];
  if (lane_index() == LANES - 1) {
    const u32 next = (rows - 1) * LANES * VEC + VEC;
    if (next + VEC <= left) {
      behind.pack = load_pack(from + next);
    } else {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        if (k < off) behind.pack.item[k] = from[next + k];
      }
    }
  }
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    InWords low;
    InWords high;
    InWords row_behind;
    low.pack = pack[r];
    row_behind.pack = pack[r + 1 < rows ? r + 1 : r];
#pragma unroll
    for (u32 w = 0; w < words; ++w) {
      high.word[w] = 0;
      if (w >= handed) continue;
      const u32 given = lane_index() == 0 ? row_behind.word[w] : low.word[w];
      high.word[w] = shuffle_word(given, (lane_index() + 1) % LANES);
      if (r + 1 == rows && lane_index() == LANES - 1) high.word[w] = behind.word[w];
    }
    InWords joined;
    join_words(low.word, high.word, words, skew, joined.word);
    pack[r] = joined.pack;
  }
}

// Part joined_results_none:
// rows of packs that do not lie as lanes hold them: not stored by their words.
// Provides: joined_results, tile_results
// Uses: packs_out

#define JOINS_OUT 0

DEVICE void store_joined_rows(__global OUT* own, u32 off, u32 rows,
                              const __private OUT_PACK* pack) {}

// Part joined_results_shuffle:
// rows of packs that do not lie as lanes hold them, stored by shuffles of their words. A
// pack in memory is then the end of what a lane holds and the beginning of what the next one does:
// at most half of its words, rounded up, come from a neighbour.
// Provides: joined_results, tile_results
// Uses: lanes, packs_out

// Where packs are whole words, and a pack has no more elements than there are lanes.
#define JOINS_OUT (VEC > 1 && VEC <= LANES && sizeof(OUT) * VEC >= 4)

typedef union {
  OUT_PACK pack;
  u32 word[4];
} OutWords;

// `count` words, at most 4, from byte `skew` on of a list that has half as many more, rounded up:
// no more than those lie before them.
DEVICE void cut_words(const __private u32* list, u32 count, u32 skew, __private u32* cut) {
  const bool far = count > 2 ? skew > 4 : false;
  const u32 bits = (far ? skew - 4 : skew) * 8;
#pragma unroll
  for (u32 w = 0; w < count; ++w) {
    const u32 low = far ? list[w + 1] : list[w];
    const u32 high = far ? list[w + 2] : list[w + 1];
    cut[w] = (u32)(((u64)high << 32 | low) >> bits);
  }
}

// Writes the pack that the rows begin and end within, which lane `holder` has, by as many lanes as
// it has elements: the first `off` of them are the last of the rows, which end at `end`.
DEVICE void store_split_pack(__global OUT* first, u32 off, u32 end, OutWords split, u32 words,
                             u32 holder) {
  const u32 lane = lane_index();
#pragma unroll
  for (u32 w = 0; w < words; ++w) split.word[w] = shuffle_word(split.word[w], holder);
  OUT item = split.pack.item[0];
#pragma unroll
  for (u32 k = 1; k < VEC; ++k) {
    if (k == lane) item = split.pack.item[k];
  }
  if (lane < VEC) first[lane < off ? end + lane - off : lane - off] = item;
}

// Stores `rows` rows of LANES packs, of which this lane's first belongs to `own`, `off` elements
// behind where a pack may lie.
DEVICE void store_joined_rows(__global OUT* own, u32 off, u32 rows,
                              const __private OUT_PACK* pack) {
  const u32 words = JOINS_OUT ? sizeof(OUT) * VEC / 4 : 0;
  const u32 most = (words + 1) / 2;
  const u32 lane = lane_index();
  const u32 before = off * sizeof(OUT);
  const u32 behind = (VEC - off) * sizeof(OUT);
  __global OUT* first = own - lane * VEC;
  u32 list[6];
  OutWords split;
  OutWords joined;
  if (before <= most * 4) {
    OutWords last;
    last.pack = pack[rows - 1];
    u32 handed[2];
#pragma unroll
    for (u32 w = 0; w < most; ++w) handed[w] = last.word[words - most + w];
#pragma unroll
    for (u32 r = 0; r < rows; ++r) {
      OutWords row;
      row.pack = pack[r];
#pragma unroll
      for (u32 w = 0; w < words; ++w) list[most + w] = row.word[w];
#pragma unroll
      for (u32 w = 0; w < most; ++w) {
        const u32 given = lane == LANES - 1 ? handed[w] : row.word[words - most + w];
        handed[w] = row.word[words - most + w];
        list[w] = shuffle_word(given, (lane + LANES - 1) % LANES);
      }
      cut_words(list, words, most * 4 - before, joined.word);
      if (r == 0) split = joined;
      if (r > 0 || lane > 0) store_pack(own + r * LANES * VEC - off, joined.pack);
    }
    store_split_pack(first, off, rows * LANES * VEC, split, words, 0);
  } else {
#pragma unroll
    for (u32 r = 0; r < rows; ++r) {
      OutWords row;
      OutWords next;
      row.pack = pack[r];
      next.pack = pack[r + 1 < rows ? r + 1 : 0];
#pragma unroll
      for (u32 w = 0; w < words; ++w) list[w] = row.word[w];
#pragma unroll
      for (u32 w = 0; w < most; ++w) {
        const u32 given = lane == 0 ? next.word[w] : row.word[w];
        list[words + w] = shuffle_word(given, (lane + 1) % LANES);
      }
      cut_words(list, words, behind, joined.word);
      if (r + 1 == rows) split = joined;
      if (r + 1 < rows || lane < LANES - 1) {
        store_pack(own + r * LANES * VEC + VEC - off, joined.pack);
      }
    }
    store_split_pack(first, off, rows * LANES * VEC, split, words, LANES - 1);
  }
}
