// Prelude: whole rows of leaves of narrow integers, whose sums are the same in any order: words are
// added as they are loaded.

#if PER_ITEM == VALUES_PER_WORD
typedef u32 RowWords;
#define ADD_ROW(words, sum) add_word_items(words, sum)
#else
typedef uint2 RowWords;
#define ADD_ROW(words, sum) add_word_items((words).y, add_word_items((words).x, sum))
#endif

// Adds `rows` rows from element `from` of the input on to the first column.
DEVICE void add_packed_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  u32 sum = 0;
  for (u32 row = 0; row < rows; row += UNROLL) {
    RowWords words[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      if (row + f < rows) words[f] = *(const RowWords*)(input + from + (row + f) * COLUMNS);
    }
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      if (row + f < rows) sum = ADD_ROW(words[f], sum);
    }
  }
  sums[0] = COMBINE(sums[0], (ACC)sum);
}
