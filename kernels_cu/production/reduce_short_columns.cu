// Part reduce_short_columns: The reduction of short lines in order v1 that lie side by side in
// memory, each with the bits that it has alone. A work-item has several of them.
// Cost: reads each element once, writes one result per line; one launch.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_short_columns
// Uses: count, line_count, line_init, short_columns, short_column_results

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_short_columns(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                         OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places,
                         u64 blocks) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
    // --- Load the lines ---
    const ShortColumns own = short_columns(places, block, lines, result + result_offset, 0);
    LineVector vectors[SHORT];
    load_short_columns(INPUT_ARGUMENTS, places, own, n, vectors);

    // --- Reduce each of them: its elements are columns of a leaf ---
    ACC results[VEC];
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      ACC sums[SHORT];
#pragma unroll
      for (u32 e = 0; e < SHORT; ++e) {
        sums[e] = IDENTITY;
        if (e < n)
          sums[e] = COMBINE(sums[e], lift_in_line(vector_item(vectors, e * VEC + k), e, n));
      }
#pragma unroll
      for (u32 e = 0; e < SHORT / 2; ++e) sums[e] = COMBINE(sums[e], sums[e + SHORT / 2]);
      if (SHORT > 1) sums[0] = COMBINE(sums[0], sums[SHORT / 4]);
      results[k] = sums[0];
      if (has_short(own, k)) {
        results[k] = COMBINE(INIT_OF_LINE(places, line_of_short(own, k)), results[k]);
      }
    }

    // --- Write the results ---
    store_short_columns(OUTPUTS(result + result_offset), places, own, 0, results);
  }
}
