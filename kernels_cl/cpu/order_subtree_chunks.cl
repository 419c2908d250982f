// Part order_subtree_chunks: the binary tree of a reduction in order v1, by one work-item of a CPU,
// which adds the columns of a leaf in vector registers.
// Provides: order_subtree_chunks
// Uses: elements, array_sums, lifted_chunks, acc_access

#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf.
#endif

#ifndef PAST_CACHES_FROM_KIB
#define PAST_CACHES_FROM_KIB 32768  // KiB from which on no cache holds the input.
#endif

#ifndef KEPT_BYTES
#define KEPT_BYTES 512  // Of columns that may stay in registers, if not all of them at a time.
#endif

// Bytes of columns that are kept in vector registers, besides what is loaded. 0 means as many as
// the registers of the processor hold for which the kernel is compiled.
#ifndef HELD_BYTES
#define HELD_BYTES 0
#endif
#ifdef __AVX512F__
#define REGISTER_BYTES 512
#else
#define REGISTER_BYTES 256
#endif
#define PASSES (COLUMNS * sizeof(ACC) > (HELD_BYTES > 0 ? HELD_BYTES : REGISTER_BYTES) ? 2 : 1)
#define PASS_COLUMNS (COLUMNS / PASSES)

#define LEAF (LEAF_ROWS * COLUMNS)

// At most one node of each level waits, and each level doubles the elements.
#define LEVELS 64

// Complete subtrees that wait for their right neighbours.
typedef struct {
  ACC waiting[LEVELS];
  u32 depth;
} SubtreeStack;

// Appends node `index` of the lowest level, and combines the subtrees that are complete with it.
DEVICE void append_node(SubtreeStack* stack, u64 index, ACC node) {
  for (; index % 2 != 0; index /= 2) {
    --stack->depth;
    node = COMBINE(stack->waiting[stack->depth], node);
  }
  stack->waiting[stack->depth] = node;
  ++stack->depth;
}

// The whole tree, absent nodes skipped; of no nodes, the identity.
DEVICE ACC root_of(const SubtreeStack* stack) {
  ACC root = stack->depth > 0 ? stack->waiting[stack->depth - 1] : IDENTITY;
  for (u32 level = stack->depth; level > 1; --level) {
    root = COMBINE(stack->waiting[level - 2], root);
  }
  return root;
}

// One pass over a whole leaf adds the columns from `first` on. Columns become vectors. For integers
// a compiler may vectorise rows instead and gather their elements, unless told not to.
DEVICE void add_columns(Elements input, u64 begin, u32 first, ACC sums[COLUMNS]) {
  ACC part[PASS_COLUMNS];
  for (u32 c = 0; c < PASS_COLUMNS; ++c) part[c] = IDENTITY;
#pragma clang loop vectorize(disable)
  for (u32 row = 0; row < LEAF; row += COLUMNS) {
#pragma unroll
    for (u32 c = 0; c < PASS_COLUMNS; ++c) {
      part[c] = COMBINE(part[c], lifted(input, begin + row + first + c));
    }
  }
  for (u32 c = 0; c < PASS_COLUMNS; ++c) sums[first + c] = part[c];
}

// The columns of a leaf of which `count` elements exist.
DEVICE void add_rows(Elements input, u64 begin, u64 count, ACC sums[COLUMNS]) {
  for (u32 c = 0; c < COLUMNS; ++c) PUT_ACC(sums[c], IDENTITY);
  u64 row = 0;
  for (; row + COLUMNS <= count; row += COLUMNS) append_array(sums, input, begin + row, COLUMNS);
  for (u32 c = 0; row + c < count; ++c) sums[c] = COMBINE(sums[c], lifted(input, begin + row + c));
}

// The leaf that begins there, of which `count` elements exist.
DEVICE ACC leaf_sum(Elements input, u64 begin, u64 count, bool cached) {
  ACC sums[COLUMNS];
  // If registers do not hold all columns, the leaf is read twice from a cache, half of a row at a
  // time. Memory has to be read in order. For a struct, halves would only be more code.
  if (COLUMNS * sizeof(ACC) <= KEPT_BYTES && (PASSES == 1 || cached) && count == LEAF) {
    add_columns(input, begin, 0, sums);
    if (PASSES > 1) add_columns(input, begin, COLUMNS - PASS_COLUMNS, sums);
  } else {
    add_rows(input, begin, count, sums);
  }
  for (u32 width = COLUMNS / 2; width > 0; width /= 2) {
    for (u32 c = 0; c < width; ++c) {
      PUT_ACC(sums[c], COMBINE(ACC_AT(sums[c]), ACC_AT(sums[c + width])));
    }
  }
  return sums[0];
}

// Subtree `subtree`, which has `leaves_each` leaves. It may have none, if n is less than the launch
// was made for.
DEVICE ACC total_subtree(Elements input, u64 n, u64 subtree, u64 leaves_each) {
  const u64 leaves = n / LEAF + (n % LEAF != 0);
  const u64 first = subtree * leaves_each;
  const u64 last = first + leaves_each < leaves ? first + leaves_each : leaves;
  const bool cached = n < ((u64)PAST_CACHES_FROM_KIB << 10) / sizeof(IN);
  SubtreeStack stack;
  stack.depth = 0;
  for (u64 leaf = first; leaf < last; ++leaf) {
    const u64 begin = leaf * LEAF;
    const u64 count = n - begin < LEAF ? n - begin : LEAF;
    append_node(&stack, leaf - first, leaf_sum(input, begin, count, cached));
  }
  return root_of(&stack);
}
