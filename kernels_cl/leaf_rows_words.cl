// Prelude: whole rows of leaves of narrow integers, whose totals are the same in any order: words
// are folded as they are loaded. A row may be longer than order v1 has it.

#define SUMS 1            // Accumulators of a work-item, which all of its columns go into.
#define BEGINS_AT_ROWS 1  // Whether begin_at_row() leaves rows that can be loaded.

#if PER_ITEM == VALUES_PER_WORD
typedef u32 RowWords;
#define LOAD_ROW(from) (*(const __global RowWords*)(from))
#define FOLD_ROW(words, fold) fold_word(words, fold)
#elif PER_ITEM == 2 * VALUES_PER_WORD
typedef uint2 RowWords;
#define LOAD_ROW(from) (*(const __global RowWords*)(from))
#define FOLD_ROW(words, fold) fold_word((words).y, fold_word((words).x, fold))
#else
typedef uint4 RowWords;
#define LOAD_ROW(from) load_unit(from)
#define FOLD_PAIR(one, other, fold) fold_word(other, fold_word(one, fold))
#define FOLD_ROW(words, fold) FOLD_PAIR((words).z, (words).w, FOLD_PAIR((words).x, (words).y, fold))
#endif

// Begins where a row can be loaded: the elements before are combined one by one, by the first
// subtree.
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

// Folds UNROLL rows from element `from` of the input on.
DEVICE WordFold fold_unrolled_rows(WordFold fold, Elements input, u64 from) {
  RowWords words[UNROLL];
#pragma unroll
  for (u32 f = 0; f < UNROLL; ++f) {
    words[f] = LOAD_ROW(input + from + f * COLUMNS);
  }
#pragma unroll
  for (u32 f = 0; f < UNROLL; ++f) fold = FOLD_ROW(words[f], fold);
  return fold;
}

// Folds a leaf's rows, without a loop: so that loads go on while words are folded.
DEVICE void add_packed_leaf(ACC* sums, Elements input, u64 from) {
  WordFold fold = empty_fold();
#pragma unroll
  for (u32 row = 0; row < LEAF_ROWS; row += UNROLL) {
    fold = fold_unrolled_rows(fold, input, from + row * COLUMNS);
  }
  sums[0] = COMBINE(sums[0], fold_total(fold));
}

// Folds `rows` rows from element `from` of the input on. Of none, nothing: an empty fold is the
// identity of the elements' type, which wider accumulators have another one than.
DEVICE void add_packed_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  if (rows == 0) return;
  WordFold fold = empty_fold();
  for (u32 row = 0; row < rows; ++row) {
    fold = FOLD_ROW(LOAD_ROW(input + from + row * COLUMNS), fold);
  }
  sums[0] = COMBINE(sums[0], fold_total(fold));
}

// Not called: rows begin where they can be loaded, by begin_at_row.
DEVICE void add_shifted_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 early) {}
