// Part words:
// an accumulator as 32-bit words, as which values of any type travel between work-items.
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

// Part join_words:
// words that lie across others, as elements of an array do that starts off alignment.
// Provides: join_words

// `count` words, at most 4, from byte `skew` of as many in `low` on, which go on in `high`.
DEVICE void join_words(const u32* low, const u32* high, u32 count, u32 skew, u32* joined) {
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
      if ((skew & 4 * step) != 0) word[w] = word[w + step];
    }
  }
#pragma unroll
  for (u32 w = 0; w < count; ++w) {
    joined[w] = (u32)(((u64)word[w + 1] << 32 | word[w]) >> skew % 4 * 8);
  }
}
