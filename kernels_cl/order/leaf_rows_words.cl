// Part leaf_rows_words: rows of leaves of narrow integers, whose totals do not depend on the order.
// Words are folded as they are loaded. A row may be longer than in order v1.
// Provides: leaf_rows
// Uses: elements, uint4_in, leaf_shape, word_fold

#define SUMS 1  // Accumulators of a work-item, which all of its columns go into.
#define ROWS_EACH ((LEAF_ROWS + LEAVES - 1) / LEAVES)
#define REST_ROWS (ROWS_EACH < ROWS_AT_ONCE ? ROWS_EACH : ROWS_AT_ONCE)

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
#define LOAD_ROW(from) load_uint4(from)
#define FOLD_PAIR(one, other, fold) fold_word(other, fold_word(one, fold))
#define FOLD_ROW(words, fold) FOLD_PAIR((words).z, (words).w, FOLD_PAIR((words).x, (words).y, fold))
#endif

// A work-item's element before the first vector or behind the last one, if it has one.
typedef struct {
  Element element;
  u64 index;
  bool there;
} EdgeElement;

// Reduces the input to what can be loaded by vectors. The first subtree takes the elements around
// it, one by one; nobody waits for them before the loads of vectors are started.
DEVICE EdgeElement take_edges(Elements* input, u64* n, u64 subtree) {
  const u32 misalignment = (u32)((u64)*input % sizeof(RowWords) / sizeof(IN));
  const u32 before = (PER_ITEM - misalignment) % PER_ITEM;
  const u32 head = before < *n ? before : (u32)*n;
  const u32 tail = (u32)((*n - head) % PER_ITEM);
  const u32 item = (u32)get_local_id(0);
  const bool behind = item >= PER_ITEM;
  EdgeElement edge;
  edge.index = behind ? *n - tail + (item - PER_ITEM) : item;
  edge.there = subtree == 0 && (behind ? item - PER_ITEM < tail : item < head);
  if (edge.there) edge.element = load_element(*input, edge.index);
  *input += head;
  *n -= head + tail;
  return edge;
}

DEVICE void add_edge(ACC* sums, EdgeElement edge) {
  if (edge.there) sums[0] = COMBINE(sums[0], lift_element(edge.element, edge.index));
}

// Folds ROWS_AT_ONCE rows from element `from` of the input on.
DEVICE WordFold fold_unrolled_rows(WordFold fold, Elements input, u64 from) {
  RowWords words[ROWS_AT_ONCE];
#pragma unroll
  for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
    words[f] = LOAD_ROW(input + from + f * COLUMNS);
  }
#pragma unroll
  for (u32 f = 0; f < ROWS_AT_ONCE; ++f) fold = FOLD_ROW(words[f], fold);
  return fold;
}

// Folds a leaf's rows without a loop, so that loads continue while words are folded.
DEVICE void add_leaf(ACC* sums, Elements input, u64 from) {
  WordFold fold = empty_fold();
#pragma unroll
  for (u32 row = 0; row < LEAF_ROWS; row += ROWS_AT_ONCE) {
    fold = fold_unrolled_rows(fold, input, from + row * COLUMNS);
  }
  sums[0] = COMBINE(sums[0], fold_total(fold));
}

// Folds this warp's share of `rows` rows from element `from` of the input on. A warp without a
// share adds nothing: an empty fold is the identity of the element type, and a wider accumulator
// has another identity.
DEVICE void add_share_of_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 team) {
  if (team >= rows) return;
  WordFold fold = empty_fold();
  for (u32 row = team; row < rows; row += REST_ROWS * LEAVES) {
    RowWords words[REST_ROWS];
#pragma unroll
    for (u32 f = 0; f < REST_ROWS; ++f) {
      const u32 own = row + f * LEAVES;
      if (own < rows) words[f] = LOAD_ROW(input + from + own * COLUMNS);
    }
#pragma unroll
    for (u32 f = 0; f < REST_ROWS; ++f) {
      if (row + f * LEAVES < rows) fold = FOLD_ROW(words[f], fold);
    }
  }
  sums[0] = COMBINE(sums[0], fold_total(fold));
}

// Adds a whole leaf for each warp. The warps share the rows behind the last whole leaf: one warp
// alone would take longer than all others.
DEVICE bool add_leaves(ACC* sums, Elements input, u64 n, u64 subtree) {
  const EdgeElement edge = take_edges(&input, &n, subtree);
  const u32 team = (u32)get_local_id(0) / 32;
  const u32 first = (u32)get_local_id(0) % 32 * PER_ITEM;
  const u64 begin = subtree * NODE_ELEMENTS;
  const u32 left = begin >= n ? 0 : n - begin < NODE_ELEMENTS ? (u32)(n - begin) : NODE_ELEMENTS;
  const u32 whole = left / LEAF;
  if (team < whole) add_leaf(sums, input, begin + team * LEAF + first);
  const u32 rest = left % LEAF;
  const u32 rows = rest / COLUMNS + (first < rest % COLUMNS ? 1 : 0);
  add_share_of_rows(sums, input, begin + whole * LEAF + first, rows, team);
  add_edge(sums, edge);
  return true;
}
