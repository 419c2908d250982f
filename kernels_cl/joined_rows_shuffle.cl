// Prelude: rows of packs that do not lie as lanes hold them, loaded and stored by shuffles: a pack
// is then the end of what a lane holds and the beginning of what the next one does.

// Where packs are whole words, and a pack has no more elements than there are lanes.
#define JOINS_IN (VEC > 1 && sizeof(IN) * VEC >= 4)
#define JOINS_OUT (VEC > 1 && VEC <= LANES && sizeof(OUT) * VEC >= 4)

typedef union {
  IN_PACK pack;
  u32 word[4];
} InWords;

typedef union {
  OUT_PACK pack;
  u32 word[4];
} OutWords;

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

// Stores such rows, whose packs begin `off` elements behind where they may lie. Of what is no whole
// pack at either end the last lane makes one, and as many lanes as it has elements write them.
DEVICE void store_joined_rows(__global OUT* own, u32 off, u32 rows,
                              const __private OUT_PACK* pack) {
  const u32 words = JOINS_OUT ? sizeof(OUT) * VEC / 4 : 0;
  const u32 handed = (sizeof(OUT) * (VEC - 1) + 3) / 4;
  const u32 lane = lane_index();
  const u32 lead = VEC - off;
  const u32 skew = lead * sizeof(OUT);
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    OutWords low;
    OutWords high;
    OutWords row_behind;
    low.pack = pack[r];
    row_behind.pack = pack[r + 1 < rows ? r + 1 : 0];
#pragma unroll
    for (u32 w = 0; w < words; ++w) {
      high.word[w] = 0;
      if (w >= handed) continue;
      const u32 given = lane == 0 ? row_behind.word[w] : low.word[w];
      high.word[w] = shuffle_word(given, (lane + 1) % LANES);
    }
    OutWords joined;
    join_words(low.word, high.word, words, skew, joined.word);
    if (r + 1 < rows || lane < LANES - 1) store_pack(own + r * LANES * VEC + lead, joined.pack);
    if (r + 1 < rows) continue;
#pragma unroll
    for (u32 w = 0; w < words; ++w) joined.word[w] = shuffle_word(joined.word[w], LANES - 1);
    OUT item = joined.pack.item[0];
#pragma unroll
    for (u32 k = 1; k < VEC; ++k) {
      if (k == lane) item = joined.pack.item[k];
    }
    __global OUT* first = own - lane * VEC;
    if (lane < VEC) first[lane < off ? rows * LANES * VEC + lane - off : lane - off] = item;
  }
}
