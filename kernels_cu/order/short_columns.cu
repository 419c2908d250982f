// Part short_columns: short lines that lie side by side in memory. A work-item has VEC of them, and
// loads their elements by vectors.
// Provides: short_columns
// Uses: line_starts, line_order, line_elements, line_neighbours, vectors_out

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef SHORT
#define SHORT 4  // Elements of a line, at most: 1 or 4.
#endif

// The lines of a work-item: `line`, and those so many steps behind.
typedef struct {
  u64 line;
  u64 lines;       // Of the call.
  u32 step;        // 1 if results are stored by vectors, else lines of work-items take turns.
  u32 neighbours;  // Whether all exist and are neighbours in memory, as inputs and as outputs.
} ShortColumns;

// Results of a line lie `stride` elements apart, the first one of line 0 at `output`.
DEVICE ShortColumns short_columns(LinePlaces places, u64 block, u64 lines, const OUT* output,
                                  u64 stride) {
  const bool steps = places.input.inner == 1 && places.output.inner == 1;
  const bool aligned =
      (u64)output % OUT_VECTOR_ALIGNMENT == 0 && stride * sizeof(OUT) % OUT_VECTOR_ALIGNMENT == 0;
  ShortColumns own;
  own.lines = lines;
  own.step = steps && aligned ? 1 : GROUP_SIZE;
  own.line = block * (GROUP_SIZE * VEC) + threadIdx.x * (own.step == 1 ? VEC : 1);
  const u64 inner = own.line < places.inner ? own.line : own.line % places.inner;
  own.neighbours = own.step == 1 && own.line + VEC <= lines && inner + VEC <= places.inner ? 1 : 0;
  return own;
}
DEVICE u64 line_of_short(ShortColumns own, u32 k) { return own.line + k * own.step; }
DEVICE bool has_short(ShortColumns own, u32 k) { return line_of_short(own, k) < own.lines; }

// Item e * VEC + k becomes element e of this work-item's line k.
DEVICE void load_short_columns(INPUT_PARAMETERS, LinePlaces places, ShortColumns own, u64 n,
                               LineVector* vectors) {
  const u64 first = place_in_line(0, n);
  const u64 first_input = first * ELEMENT_STRIDE(places.input);
  const u64 first_second = first * ELEMENT_STRIDE(places.second);
  if (own.neighbours) {
    const LineStarts starts = starts_of_line(places, own.line);
    const LineElements at =
        elements_from(INPUT_ARGUMENTS, starts.input + first_input, starts.second + first_second);
#pragma unroll
    for (u32 e = 0; e < SHORT; ++e) {
      if (e < n) load_neighbours(elements_behind(at, places, e), places, vectors + e);
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      const bool exists = has_short(own, k);
      const LineStarts starts = starts_of_line(places, exists ? line_of_short(own, k) : 0);
      const LineElements at =
          elements_from(INPUT_ARGUMENTS, starts.input + first_input, starts.second + first_second);
#pragma unroll
      for (u32 e = 0; e < SHORT; ++e) {
        if (e < n && exists) {
          put_vector_item(vectors, e * VEC + k, first_element(elements_behind(at, places, e)));
        }
      }
    }
  }
}

// Part short_column_results_one: results of such lines are stored in one array, by vectors.
// Provides: short_column_results
// Uses: outputs, short_columns

// Stores a result of each of this work-item's lines, so far behind the first element of the line.
DEVICE void store_short_columns(OUT* output, LinePlaces places, ShortColumns own, u64 behind,
                                const ACC* item) {
  OUT* first = output + behind;
  if (own.neighbours) {
    OUT* address = first + starts_of_line(places, own.line).output;
    if (VEC == 1 || (u64)address % OUT_VECTOR_ALIGNMENT == 0) {
      OutVector vector;
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) vector.item[k] = TO_OUT(item[k]);
      store_vector(address, vector);
      return;
    }
  }
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) {
    if (has_short(own, k)) {
      first[starts_of_line(places, line_of_short(own, k)).output] = TO_OUT(item[k]);
    }
  }
}

// Part short_column_results_more: results of such lines are stored in several arrays.
// Provides: short_column_results
// Uses: outputs, short_columns

DEVICE void store_short_columns(Outputs output, LinePlaces places, ShortColumns own, u64 behind,
                                const ACC* item) {
  const Outputs first = OUTPUTS_FROM(output, behind);
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) {
    const u64 start = starts_of_line(places, line_of_short(own, k)).output;
    if (has_short(own, k)) PUT_RESULT(first, start, item[k]);
  }
}
