// Part scan_lines: The scan of short lines in order v1, each with the bits that it has alone. A
// warp has one line or several at once.
// Cost: reads and writes each element once; one launch.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_lines
// Uses: count, line_count, line_init, total, short_line_folds, short_line_results

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_lines(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
               OUT* output, u64 output_offset MORE_OUTPUTS, LinePlaces places,
               LineRows shares TOTAL_PARAMETERS) {
  __shared__ LaneScratch scratch;
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u32 lanes = 1u << shares.lane_shift;
  const LineStarts step = line_row_step(places, shares);
  for (u64 block = blockIdx.x; block < shares.blocks; block += gridDim.x) {
    // --- Combine the rows of this warp ---
    const LineRow first = first_line_row(places, shares, block, lines, n);
    ACC sums[EACH];
    ACC prefix[LINE_ROWS];
    ACC total[LINE_ROWS];
    ACC earlier[LINE_ROWS];
    load_short_lines(INPUT_ARGUMENTS, places, shares, first, step, lines, n, sums, prefix, total,
                     earlier, &scratch);

    // --- Write the results ---
    ACC rows = IDENTITY;
    LineRow at = first;
#pragma unroll
    for (u32 r = 0; r < LINE_ROWS; ++r) {
      if (r > 0) at = next_line_row(at, places, shares, step, r, lines, n);
      const bool valid = at.line < lines;
      ACC before = IDENTITY;
      if (valid) before = INIT_OF_LINE(places, at.line);
      ACC start = before;
      if (at.row > 0) start = COMBINE(before, rows);
      rows = fold_rows(at, rows, total[r]);
      ACC carry = start;
      if (at.lane > 0) carry = COMBINE(start, earlier[r]);
      ACC next = COMBINE(start, prefix[r]);
      if (at.lane == lanes - 1) next = COMBINE(before, rows);
      ACC running = carry;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u32 i = at.run + k;
        const ACC exclusive = running;
        running = next;
        if (k < RUN - 1) running = COMBINE(carry, sums[r * RUN + k]);
        LEAVE_TOTAL_OF(at.line, valid && i + 1 == n, running);
        ACC result = INCLUSIVE ? running : exclusive;
        PUT_FIRST(i == 0, result);
        sums[r * RUN + k] = result;
      }
      store_line_run(OUTPUTS(output + output_offset), places, at, sums + r * RUN);
      LEAVE_TOTAL_OF(at.line, valid && n == 0 && at.run == 0, before);
    }
  }
}

// Part total_lines: The totals of short lines in order v1, for a reduction in index order.
// Cost: reads each element once, writes an accumulator per line.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_lines
// Uses: count, line_count, short_line_folds

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    total_lines(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, ACC* partials,
                u64 partials_offset, LinePlaces places, LineRows shares) {
  __shared__ LaneScratch scratch;
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const LineStarts step = line_row_step(places, shares);
  for (u64 block = blockIdx.x; block < shares.blocks; block += gridDim.x) {
    // --- Combine the rows of this warp ---
    const LineRow first = first_line_row(places, shares, block, lines, n);
    ACC sums[EACH];
    ACC prefix[LINE_ROWS];
    ACC total[LINE_ROWS];
    ACC earlier[LINE_ROWS];
    load_short_lines(INPUT_ARGUMENTS, places, shares, first, step, lines, n, sums, prefix, total,
                     earlier, &scratch);

    // --- Write the totals ---
    ACC rows = IDENTITY;
    LineRow at = first;
#pragma unroll
    for (u32 r = 0; r < LINE_ROWS; ++r) {
      if (r > 0) at = next_line_row(at, places, shares, step, r, lines, n);
      rows = fold_rows(at, rows, total[r]);
      if (at.line < lines && at.lane == 0 && at.row + 1 == 1u << shares.row_shift) {
        partials[partials_offset + at.line] = rows;
      }
    }
  }
}
