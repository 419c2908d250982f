// Part scan_short_columns: The scan of short lines in order v1 that lie side by side in memory,
// each with the bits that it has alone. A work-item has several of them, whose elements are a run.
// Cost: reads and writes each element once; one launch.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_short_columns
// Uses: count, line_count, line_init, total, short_columns, short_column_results

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_short_columns(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                       OUT* output, u64 output_offset MORE_OUTPUTS, LinePlaces places,
                       u64 blocks TOTAL_PARAMETERS) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
    // --- Load the lines ---
    const u64 stride = n > 1 ? ELEMENT_STRIDE(places.output) : 0;
    const ShortColumns own = short_columns(places, block, lines, output + output_offset, stride);
    LineVector vectors[SHORT];
    load_short_columns(INPUT_ARGUMENTS, places, own, n, vectors);
    ACC before[VEC];
    ACC running[VEC];
    ACC sums[VEC];
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      before[k] = IDENTITY;
      const u64 line = line_of_short(own, k);
      if (has_short(own, k)) before[k] = INIT_OF_LINE(places, line);
      running[k] = before[k];
      LEAVE_TOTAL_OF(line, n == 0 && has_short(own, k), before[k]);
    }

    // --- Scan them, and write the results ---
#pragma unroll
    for (u32 e = 0; e < SHORT; ++e) {
      if (e < n) {
        ACC results[VEC];
#pragma unroll
        for (u32 k = 0; k < VEC; ++k) {
          const ACC item = lift_in_line(vector_item(vectors, e * VEC + k), e, n);
          if (e == 0) {
            sums[k] = item;
          } else {
            sums[k] = COMBINE(sums[k], item);
          }
          results[k] = running[k];
          running[k] = COMBINE(before[k], sums[k]);
          LEAVE_TOTAL_OF(line_of_short(own, k), has_short(own, k) && e + 1 == n, running[k]);
          if (INCLUSIVE) results[k] = running[k];
          PUT_FIRST(e == 0, results[k]);
        }
        const u64 place = place_in_line(e, n) * ELEMENT_STRIDE(places.output);
        store_short_columns(OUTPUTS(output + output_offset), places, own, place, results);
      }
    }
  }
}
