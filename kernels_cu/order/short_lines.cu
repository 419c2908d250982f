// Part short_lines: rows of order v1 of lines that a warp has at once. It has LINE_ROWS rows: of
// one line, of several, or each of several short lines.
// Provides: short_lines
// Uses: line_starts, line_elements, line_rows, lane_index, warp_index

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define EACH (LINE_ROWS * RUN)  // Elements of a work-item.
#ifndef WHOLE_ROWS
#define WHOLE_ROWS 0  // Whether whole runs have code of their own, without limits.
#endif

// How a call is shared out.
typedef struct {
  u64 lane_shift;  // A line has `1 << lane_shift` lanes of a row, and if that is all of them,
  u64 row_shift;   // `1 << row_shift` rows.
  u64 blocks;      // Of lines, one for a group at a time.
} LineRows;

// What this lane has of a row.
typedef struct {
  u64 line;
  u32 row;   // The number of the row in the line,
  u32 lane;  // and that of the lane in the row.
  u32 run;   // The first element.
  u32 left;  // Elements of the line; none if it does not exist.
  LineStarts starts;
} LineRow;

// The first one of a warp. Lanes have nothing of a line that does not exist.
DEVICE LineRow first_line_row(LinePlaces places, LineRows rows, u64 block, u64 lines, u64 n) {
  const u32 lane_shift = (u32)rows.lane_shift;
  const u32 row_shift = (u32)rows.row_shift;
  const u32 in_row = 5 - lane_shift;
  LineRow at;
  at.lane = lane_index() & ((1u << lane_shift) - 1);
  at.row = 0;
  at.run = at.lane * RUN;
  at.line = block * ((GROUP_SIZE / LANES * LINE_ROWS >> row_shift) << in_row);
  at.line += ((warp_index() * LINE_ROWS >> row_shift) << in_row) + (lane_index() >> lane_shift);
  at.left = at.line < lines ? (u32)n : 0;
  at.starts = starts_of_line(places, at.line);
  const u64 first = place_in_line(0, n);
  at.starts.input += first * ELEMENT_STRIDE(places.input);
  at.starts.second += first * ELEMENT_STRIDE(places.second);
  at.starts.output += first * ELEMENT_STRIDE(places.output);
  return at;
}

// Where the lines of a warp's next row begin, as seen from line 0, if they are other ones.
DEVICE LineStarts line_row_step(LinePlaces places, LineRows rows) {
  return starts_of_line(places, LANES >> (u32)rows.lane_shift);
}

// The row behind one, number `r` of the warp.
DEVICE LineRow next_line_row(LineRow at, LinePlaces places, LineRows rows, LineStarts step, u32 r,
                             u64 lines, u64 n) {
  at.row = r & ((1u << (u32)rows.row_shift) - 1);
  at.run = (at.row * LANES + at.lane) * RUN;
  if (at.row == 0) {
    at.line += LANES >> (u32)rows.lane_shift;
    at.left = at.line < lines ? (u32)n : 0;
    at.starts = starts_behind(places, at.starts, step);
  }
  return at;
}

// Whether all runs of this lane are full, of the rows from the first one of its warp on.
DEVICE bool has_whole_runs(LineRow first, LineRows rows, u64 lines, u64 n) {
  const u32 lines_behind =
      ((LINE_ROWS - 1) >> (u32)rows.row_shift) * (LANES >> (u32)rows.lane_shift);
  const u32 last_row = (LINE_ROWS - 1) & ((1u << (u32)rows.row_shift) - 1);
  return first.line + lines_behind < lines && (last_row * LANES + first.lane + 1) * RUN <= n;
}

// Part short_line_folds: the rows of a warp are loaded, and its runs are folded.
// Provides: short_line_folds
// Uses: short_lines, line_run

// Loads the rows of a warp from `first` on, if this lane's runs are not `whole` as far as they
// exist. What does not exist is the identity. sums[r * RUN + k] becomes the fold of elements 0 to k
// of this lane's run in row r.
DEVICE void load_short_runs(INPUT_PARAMETERS, LinePlaces places, LineRows rows, LineRow first,
                            LineStarts step, bool whole, u64 lines, u64 n, ACC* sums) {
  LineVector vectors[EACH / VEC];
  LineRow at = first;
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    if (r > 0) at = next_line_row(at, places, rows, step, r, lines, n);
    load_line_run(elements_from(INPUT_ARGUMENTS, at.starts.input, at.starts.second), places, at.run,
                  whole ? ~0u : at.left, vectors + r * RUN / VEC);
  }
  at = first;
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    if (r > 0) at = next_line_row(at, places, rows, step, r, lines, n);
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      ACC item = IDENTITY;
      const Element element = vector_item(vectors, r * RUN + k);
      if (whole || at.run + k < at.left) item = lift_in_line(element, at.run + k, n);
      sums[r * RUN + k] = item;
    }
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sums[r * RUN + k] = COMBINE(sums[r * RUN + k - 1], sums[r * RUN + k]);
    }
  }
}

// The same, and `prefix` becomes the prefix of a run within its row, inclusive, `total` the total
// of the row, and `earlier` what lies before the run in it, if it is not the first.
DEVICE void load_short_lines(INPUT_PARAMETERS, LinePlaces places, LineRows rows, LineRow first,
                             LineStarts step, u64 lines, u64 n, ACC* sums, ACC* prefix, ACC* total,
                             ACC* earlier, LaneScratch* scratch) {
#if WHOLE_ROWS
  if (has_whole_runs(first, rows, lines, n)) {
    load_short_runs(INPUT_ARGUMENTS, places, rows, first, step, true, lines, n, sums);
  } else
#endif
    load_short_runs(INPUT_ARGUMENTS, places, rows, first, step, false, lines, n, sums);
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) prefix[r] = sums[r * RUN + RUN - 1];
  prefix_line_rows(prefix, 1u << rows.lane_shift, total, earlier, scratch);
}

// The fold of the rows of a line up to this one. `before` is that of the rows before it.
DEVICE ACC fold_rows(LineRow at, ACC before, ACC total) {
  if (at.row > 0) total = COMBINE(before, total);
  return total;
}

// Part short_line_results_one: lanes store the results of a row in one array.
// Provides: short_line_results
// Uses: outputs, short_lines, vectors_out

DEVICE void store_line_run(OUT* output, LinePlaces places, LineRow at, const ACC* item) {
  OUT* run = output + (at.starts.output + behind_first(at.run, ELEMENT_STRIDE(places.output)));
  if (VEC > 1 && at.run + RUN <= at.left && (u64)run % OUT_VECTOR_ALIGNMENT == 0) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) {
      OutVector vector;
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) vector.item[k] = TO_OUT(item[p + k]);
      store_vector(run + p, vector);
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (at.run + k < at.left) {
        run[behind_first(k, ELEMENT_STRIDE(places.output))] = TO_OUT(item[k]);
      }
    }
  }
}

// Part short_line_results_more: lanes store the results of a row in several arrays.
// Provides: short_line_results
// Uses: outputs, short_lines

DEVICE void store_line_run(Outputs output, LinePlaces places, LineRow at, const ACC* item) {
  const u64 stride = ELEMENT_STRIDE(places.output);
  const Outputs run = OUTPUTS_FROM(output, at.starts.output + behind_first(at.run, stride));
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    if (at.run + k < at.left) PUT_RESULT(run, behind_first(k, stride), item[k]);
  }
}
