// Prelude: words that lie across others, as elements of an array do that starts off alignment.

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
