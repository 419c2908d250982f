// Part short_columns: short lines that lie side by side in memory. A work-item has VEC of them, and
// loads their elements by vectors.
// Provides: short_columns
// Uses: line_starts, line_order, line_elements, line_neighbours

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define SHORT 4  // Elements of a line, at most.

// The lines of a work-item.
typedef struct {
  u64 line;        // The first one.
  u32 count;       // Those that exist.
  u32 neighbours;  // Whether all exist and are neighbours in memory, as inputs and as outputs.
} ShortColumns;

DEVICE ShortColumns short_columns(LinePlaces places, u64 block, u64 lines) {
  ShortColumns own;
  own.line = (block * GROUP_SIZE + threadIdx.x) * VEC;
  own.count = 0;
  if (own.line < lines) own.count = (u32)(lines - own.line < VEC ? lines - own.line : VEC);
  const u64 inner = own.line < places.inner ? own.line : own.line % places.inner;
  const bool steps = places.input.inner == 1 && places.output.inner == 1;
  own.neighbours = own.count == VEC && inner + VEC <= places.inner && steps ? 1 : 0;
  return own;
}

// element[e * VEC + k] becomes element e of this work-item's line k.
DEVICE void load_short_columns(INPUT_PARAMETERS, LinePlaces places, ShortColumns own, u64 n,
                               Element* element) {
  const u64 first = place_in_line(0, n);
  const u64 first_input = first * ELEMENT_STRIDE(places.input);
  const u64 first_second = first * ELEMENT_STRIDE(places.second);
  if (own.neighbours) {
    const LineStarts starts = starts_of_line(places, own.line);
    const LineElements at =
        elements_from(INPUT_ARGUMENTS, starts.input + first_input, starts.second + first_second);
#pragma unroll
    for (u32 e = 0; e < SHORT; ++e) {
      if (e < n) load_neighbours(elements_behind(at, places, e), places, element + e * VEC);
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      const LineStarts starts = starts_of_line(places, k < own.count ? own.line + k : 0);
      const LineElements at =
          elements_from(INPUT_ARGUMENTS, starts.input + first_input, starts.second + first_second);
#pragma unroll
      for (u32 e = 0; e < SHORT; ++e) {
        if (e < n && k < own.count) {
          element[e * VEC + k] = first_element(elements_behind(at, places, e));
        }
      }
    }
  }
}

// Part short_column_results: results of such lines are stored by vectors.
// Provides: short_column_results
// Uses: short_columns, vectors_out

// Stores a result of each of this work-item's lines, so far behind the first element of the line.
DEVICE void store_short_columns(OUT* output, LinePlaces places, ShortColumns own, u64 behind,
                                const ACC* item) {
  OUT* address = output + (starts_of_line(places, own.count > 0 ? own.line : 0).output + behind);
  if (own.neighbours && (u64)address % OUT_VECTOR_ALIGNMENT == 0) {
    OutVector vector;
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) vector.item[k] = TO_OUT(item[k]);
    store_vector(address, vector);
  } else {
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      if (k < own.count) {
        output[starts_of_line(places, own.line + k).output + behind] = TO_OUT(item[k]);
      }
    }
  }
}
