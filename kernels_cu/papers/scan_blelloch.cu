// Part scan_blelloch: Blelloch's work-efficient scan: each block is a balanced tree in local
// memory; the up-sweep leaves sums in its inner nodes, the root becomes the identity, and the
// down-sweep turns every node into what stands before it. Blocks of blocks are scanned the same way
// and come back as carries. The source applies the operator to (left child, parent) on the way
// down, which swaps operands: here what stands before comes first. Nodes are padded, so that
// strides of a power of two do not meet in one bank of local memory.
// Cost: reads each element twice, writes it once, and 2 / BLOCK accumulators per element above; 2
// launches per level and one for the last; 2 log2(BLOCK) barriers.
// Assumes GROUP_SIZE * PER_ITEM to be a power of two, at least 2.
// Source: Oancea & Henriksen 2023, section on scan; Blelloch 1990.
// Provides: scan_blelloch
// Uses: first

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 2  // Elements per work-item.
#endif
#ifndef BANKS
#define BANKS 32  // Nodes between two gaps of the padding.
#endif
#define BLOCK (GROUP_SIZE * PER_ITEM)
#define NODE(i) ((i) + (i) / BANKS)

// Elements of this block, in registers and as the leaves of the tree; those from n on are the
// identity.
DEVICE void load_leaves(const IN* input, u64 n, ACC item[PER_ITEM], ACC* tree) {
  const u64 begin = (u64)blockIdx.x * BLOCK;
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    const u32 leaf = k * GROUP_SIZE + threadIdx.x;
    item[k] = begin + leaf < n ? LIFT(input[begin + leaf]) : IDENTITY;
    tree[NODE(leaf)] = item[k];
  }
}

// Leaves the sum of each subtree in its last node. Ends with a barrier behind it.
DEVICE void up_sweep(ACC* tree) {
  for (u32 half_width = 1; half_width < BLOCK; half_width *= 2) {
    __syncthreads();
    const u32 first = (2 * threadIdx.x + 2) * half_width - 1;
    for (u32 right = first; right < BLOCK; right += 2 * half_width * GROUP_SIZE) {
      tree[NODE(right)] = COMBINE(tree[NODE(right - half_width)], tree[NODE(right)]);
    }
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_blocks(const IN* input, u64 input_offset, u64 n, ACC* totals, u64 totals_offset) {
  __shared__ ACC tree[NODE(BLOCK)];

  // --- Sum the block on the way up ---
  ACC item[PER_ITEM];
  load_leaves(input + input_offset, n, item, tree);
  up_sweep(tree);

  // --- Write the total of the block ---
  if (threadIdx.x == 0) totals[totals_offset + blockIdx.x] = tree[NODE(BLOCK - 1)];
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_blocks(const IN* input, u64 input_offset, u64 n, const ACC* carries, u64 carries_offset,
                ACC init, OUT* output, u64 output_offset FIRST_PARAMETERS) {
  __shared__ ACC tree[NODE(BLOCK)];
  const u64 begin = (u64)blockIdx.x * BLOCK;
  output += output_offset;

  // --- Sum the block on the way up ---
  ACC item[PER_ITEM];
  load_leaves(input + input_offset, n, item, tree);
  up_sweep(tree);

  // --- Hand down what stands before each subtree ---
  if (threadIdx.x == 0) tree[NODE(BLOCK - 1)] = IDENTITY;
  for (u32 half_width = BLOCK / 2; half_width > 0; half_width /= 2) {
    __syncthreads();
    const u32 first = (2 * threadIdx.x + 2) * half_width - 1;
    for (u32 right = first; right < BLOCK; right += 2 * half_width * GROUP_SIZE) {
      const ACC before = tree[NODE(right)];
      const ACC left = tree[NODE(right - half_width)];
      tree[NODE(right - half_width)] = before;
      tree[NODE(right)] = COMBINE(before, left);
    }
  }
  __syncthreads();

  // --- Write the block from its carry on ---
  ACC carry = init;
  if (gridDim.x > 1) carry = carries[carries_offset + blockIdx.x];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    const u32 leaf = k * GROUP_SIZE + threadIdx.x;
    ACC result = COMBINE(carry, tree[NODE(leaf)]);
    if (INCLUSIVE) result = COMBINE(result, item[k]);
    PUT_FIRST(begin + leaf == 0, result);
    if (begin + leaf < n) output[begin + leaf] = TO_OUT(result);
  }
}
