// Prelude: rows of packs that do not lie as lanes hold them, loaded by shuffles: a pack is then the
// end of what a lane holds and the beginning of what the next one does.

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
