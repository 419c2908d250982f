// Part reduce_line_nodes: The last launch of a reduction of many lines: the perfect binary tree
// over the nodes of each line, and its initial value. A line has a power of two of work-items.
// Cost: reads an accumulator per node, writes one result per line.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: reduce_line_nodes
// Uses: count, line_count, line_init, outputs, line_starts, order_nodes

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a power of two.
#endif

// The nodes of a line: `most` are set aside, each of `elements` elements, and a group has
// `1 << line_shift` lines, of which `blocks` are a group's at a time.
typedef struct {
  u64 most;
  u64 elements;
  u64 line_shift;
  u64 blocks;
} LineNodeShare;

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_line_nodes(
    __global ACC* nodes, u64 nodes_offset, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places, LineNodeShare each) {
  __local TreeScratch tree;
  __local ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 count = n / each.elements + (n % each.elements != 0);
  const u32 items = GROUP_SIZE >> each.line_shift;
  const u32 item = (u32)get_local_id(0) % items;
  for (u64 block = get_group_id(0); block < each.blocks; block += get_num_groups(0)) {
    const u64 line = (block << each.line_shift) + (u32)get_local_id(0) / items;
    const bool valid = line < lines;
    ACC root = IDENTITY;
    if (each.line_shift == 0) {
      // --- A line of a group: combine neighbours until one node is left ---
      root = combine_nodes(nodes + nodes_offset + (valid ? line : 0) * each.most, valid ? count : 0,
                           &tree);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    } else {
      // --- Several lines: consecutive nodes of a work-item, then neighbours ---
      __global ACC* own = nodes + nodes_offset + line * each.most;
      ACC sums[NODES_PER_ITEM];
#pragma unroll
      for (u32 k = 0; k < NODES_PER_ITEM; ++k) {
        const u64 i = (u64)item * NODES_PER_ITEM + k;
        sums[k] = IDENTITY;
        if (valid && i < count) sums[k] = own[i];
      }
#pragma unroll
      for (u32 distance = 1; distance < NODES_PER_ITEM; distance *= 2) {
#pragma unroll
        for (u32 k = 0; k < NODES_PER_ITEM; k += 2 * distance) {
          sums[k] = COMBINE(sums[k], sums[k + distance]);
        }
      }
      root = sums[0];
      for (u32 distance = 1; distance < items; distance *= 2) {
        scratch[(u32)get_local_id(0)] = root;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item % (2 * distance) == 0)
          root = COMBINE(root, scratch[(u32)get_local_id(0) + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
      }
    }
    if (valid && item == 0) {
      PUT_RESULT_FROM(result, result_offset, starts_of_line(places, line).output,
                      COMBINE(INIT_OF_LINE(places, line), root));
    }
  }
}
