// The reduction in order v1 in one launch: groups reduce a subtree of leaves each, as reduce_order
// does, and the one that finishes last combines the subtrees; of many, first those of its set.
// Cost: reads each element once, and writes and reads one accumulator per group, and per set of
// them, or adds it to one word; one launch.
// Assumes a commutative operator, and 64-bit atomics and fences that reach the whole device. Groups
// do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.

// Without a bound, ptxas leaves room for so many groups that loads wait for registers.
#if FEW_GROUPS
#define BOUNDS GROUP_SIZE, 1
#else
#define BOUNDS GROUP_SIZE
#endif

extern "C" __global__ void __launch_bounds__(BOUNDS)
    reduce_order_single(INPUT_PARAMETERS, COUNT_PARAMETERS, void* work, INIT_PARAMETERS,
                        OUT* result, ReducePlaces places) {
  __shared__ LeafScratch scratch;
  __shared__ u32 flag;
  await_earlier_work();
  ACC* const nodes = static_cast<ACC*>(work) + places.nodes;
  u64* const control = static_cast<u64*>(work) + places.control;
  const u64 n = COUNT;

  // --- Reduce the leaves of the group ---
  ACC root = total_leaves(INPUT, n, blockIdx.x, &scratch);

  // --- Combine the results of all groups ---
  const u64 count = (n + NODE_ELEMENTS - 1) / NODE_ELEMENTS;
  const bool done =
      combine_groups(&root, nodes, count, control, places.per_set, &scratch.tree, &flag);

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  if (done) result[places.result] = TO_OUT(COMBINE(INIT, root));
}
