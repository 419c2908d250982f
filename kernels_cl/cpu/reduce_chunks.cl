// Part reduce_chunks: A reduction for CPUs: production's by operators that do not commute, where
// their order does not matter. Each work-item (one per group) reduces a consecutive chunk into
// STRIPES accumulators, which the compiler vectorises.
// Cost: reads each element once, writes one accumulator per chunk; two launches; no barrier.
// Assumes a commutative operator where STRIPES > 1; with one stripe operands stay in index order.
// Source: bifold.
// Provides: reduce_chunks
// Uses: count, chunks, blocks

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_chunks(const __global IN* input,
                                                                           u64 input_offset,
                                                                           COUNT_PARAMETERS,
                                                                           __global ACC* partials,
                                                                           u64 partials_offset) {
  const u64 n = COUNT;
  const u64 begin = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));

  // --- Reduce the chunk ---
  partials[partials_offset + get_group_id(0)] = reduce_chunk(input + input_offset, begin, end);
}
