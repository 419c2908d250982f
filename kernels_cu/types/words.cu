// Part words: an accumulator as 32-bit words. Values of every type are exchanged between work-items
// as such words.
// Provides: words

#define ACC_WORDS ((sizeof(ACC) + 3) / 4)

typedef union {
  u32 word[ACC_WORDS];
  ACC value;
} AccWords;

DEVICE AccWords words_of(ACC x) {
  AccWords words;
  words.word[ACC_WORDS - 1] = 0;  // Its upper bytes may lie beyond the value's.
  words.value = x;
  return words;
}

// Part join_words: words of a misaligned array, made from the aligned words that they lie across.
// Provides: join_words

// `count` words, at most 4. They begin at byte `misalignment` of `low` and go on in `high`, which
// have `count` words each.
DEVICE void join_words(const u32* low, const u32* high, u32 count, u32 misalignment, u32* joined) {
  u32 word[8];
#pragma unroll
  for (u32 w = 0; w < count; ++w) {
    word[w] = low[w];
    word[count + w] = high[w];
  }
#pragma unroll
  for (u32 step = 2; step > 0; step /= 2) {
    if (step >= count) continue;
#pragma unroll
    for (u32 w = 0; w + step < 2 * count; ++w) {
      if ((misalignment & 4 * step) != 0) word[w] = word[w + step];
    }
  }
#pragma unroll
  for (u32 w = 0; w < count; ++w) {
    joined[w] = (u32)(((u64)word[w + 1] << 32 | word[w]) >> misalignment % 4 * 8);
  }
}
