// Prelude: whole rows of leaves of narrow integers, whose sums are the same in any order: words are
// added as they are loaded. A row may be longer than order v1 has it.

#define SUMS 1  // Accumulators of a work-item, which all of its columns go into.

#if PER_ITEM == VALUES_PER_WORD
typedef u32 RowWords;
#define LOAD_ROW(from) (*(const __global RowWords*)(from))
#define ADD_ROW(words, sum) add_word_items(words, sum)
#elif PER_ITEM == 2 * VALUES_PER_WORD
typedef uint2 RowWords;
#define LOAD_ROW(from) (*(const __global RowWords*)(from))
#define ADD_ROW(words, sum) add_word_items((words).y, add_word_items((words).x, sum))
#else
typedef uint4 RowWords;
#define LOAD_ROW(from) load_unit(from)
#define ADD_PAIR(one, other, sum) add_word_items(other, add_word_items(one, sum))
#define ADD_ROW(words, sum) ADD_PAIR((words).z, (words).w, ADD_PAIR((words).x, (words).y, sum))
#endif

// Begins where a row can be loaded: the elements before are added one by one, by the first subtree.
DEVICE void begin_at_row(ACC* sums, Elements* input, u64* n, u64 subtree) {
  const u32 off = (u32)((u64)*input % sizeof(RowWords) / sizeof(IN));
  const u32 before = (PER_ITEM - off) % PER_ITEM;
  const u32 head = before < *n ? before : (u32)*n;
  const u32 item = (u32)get_local_id(0);
  if (subtree == 0 && item < head) {
    const ACC value = lift_element(load_element(*input, item), item);
    sums[0] = COMBINE(sums[0], value);
  }
  *input += head;
  *n -= head;
}

// Adds UNROLL rows from element `from` of the input on.
DEVICE u32 add_unrolled_rows(u32 sum, Elements input, u64 from) {
  RowWords words[UNROLL];
#pragma unroll
  for (u32 f = 0; f < UNROLL; ++f) {
    words[f] = LOAD_ROW(input + from + f * COLUMNS);
  }
#pragma unroll
  for (u32 f = 0; f < UNROLL; ++f) sum = ADD_ROW(words[f], sum);
  return sum;
}

// Adds a leaf's rows, without a loop: so that loads go on while words are added.
DEVICE void add_packed_leaf(ACC* sums, Elements input, u64 from) {
  u32 sum = 0;
#pragma unroll
  for (u32 row = 0; row < LEAF_ROWS; row += UNROLL) {
    sum = add_unrolled_rows(sum, input, from + row * COLUMNS);
  }
  sums[0] = COMBINE(sums[0], (ACC)sum);
}

// Adds `rows` rows from element `from` of the input on.
DEVICE void add_packed_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  u32 sum = 0;
  for (u32 row = 0; row < rows; ++row) {
    sum = ADD_ROW(LOAD_ROW(input + from + row * COLUMNS), sum);
  }
  sums[0] = COMBINE(sums[0], (ACC)sum);
}

// Not called: rows begin where they can be loaded, by begin_at_row.
DEVICE void add_shifted_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 early) {}
