// Part line_run_one: a run of a line of one array is loaded.
// Provides: line_run
// Uses: line_elements, line_tile, vectors_in, alignment

// The run that begins with element e of a slot, as far as it exists.
DEVICE void load_line_run(LineElements elements, LinePlaces places, u32 e, u32 left,
                          Element* element) {
  const LineElements run = elements_behind(elements, places, e);
  const bool whole = places.input.element == 1 && e + RUN <= left;
  if (VEC > 1 && !REVERSED && whole && is_aligned(run.first, LOAD_BYTES)) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) {
      const InVector vector = load_vector(run.first + p);
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) element[p + k] = vector.item[k];
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (e + k < left) element[k] = first_element(elements_behind(run, places, k));
    }
  }
}

// Part line_run_two: a run of a line of two arrays is loaded.
// Provides: line_run
// Uses: line_elements, line_tile

DEVICE void load_line_run(LineElements elements, LinePlaces places, u32 e, u32 left,
                          Element* element) {
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    if (e + k < left) element[k] = first_element(elements_behind(elements, places, e + k));
  }
}

// Part line_loads: lanes load the runs of their rows.
// Provides: line_loads
// Uses: line_tile, line_run

// Loads the elements `from` on of every slot. What does not exist is the identity.
DEVICE void load_line_rows(INPUT_PARAMETERS, LinePlaces places, LineTiles tiles, u64 block,
                           u64 lines, u32 from, u64 n, const LineSlot* kept, ACC* item) {
  Element element[EACH];
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    const LineRow at = line_row(tiles, r);
    const LineSlot slot = slot_at(places, tiles, block, at.slot, lines, n, kept);
    load_line_run(elements_from(INPUT_ARGUMENTS, slot.input, slot.second), places, from + at.run,
                  slot.left, element + r * RUN);
  }
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    const LineRow at = line_row(tiles, r);
    const LineSlot slot = slot_at(places, tiles, block, at.slot, lines, n, kept);
    const u32 e = from + at.run;
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      item[r * RUN + k] = IDENTITY;
      if (e + k < slot.left) {
        item[r * RUN + k] = lift_in_line(element[r * RUN + k], slot.begin + e + k, n);
      }
    }
  }
}

// Part line_results: lanes store the results of their rows.
// Provides: line_results
// Uses: line_tile, line_loads, vectors_out

DEVICE void store_line_rows(OUT* output, LinePlaces places, LineTiles tiles, u64 block, u64 lines,
                            u32 from, u64 n, const LineSlot* kept, const ACC* item) {
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    const LineRow at = line_row(tiles, r);
    const LineSlot slot = slot_at(places, tiles, block, at.slot, lines, n, kept);
    const u32 e = from + at.run;
    OUT* run = output + slot.output + behind_first(e, places.output.element);
    const bool whole = places.output.element == 1 && e + RUN <= slot.left;
    if (VEC > 1 && !REVERSED && whole && (u64)run % OUT_VECTOR_ALIGNMENT == 0) {
#pragma unroll
      for (u32 p = 0; p < RUN; p += VEC) {
        OutVector vector;
#pragma unroll
        for (u32 k = 0; k < VEC; ++k) vector.item[k] = TO_OUT(item[r * RUN + p + k]);
        store_vector(run + p, vector);
      }
    } else {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (e + k < slot.left) {
          run[behind_first(k, places.output.element)] = TO_OUT(item[r * RUN + k]);
        }
      }
    }
  }
}
