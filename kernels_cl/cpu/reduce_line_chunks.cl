// Part reduce_line_chunks: The reduction of many lines in order v1 for CPUs, each with the bits
// that it has alone. A work-item takes leaves of several lines, one line after the other, and then
// folds their columns.
// Cost: reads each element once, writes one result per line, or one accumulator per leaf if lines
// are longer than that; no barrier.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_line_chunks
// Uses: count, line_count, line_init, outputs, line_sums_chunks, past_caches_chunks

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_line_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS, __global ACC* nodes,
    u64 nodes_offset, __global OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places,
    LineStrips strips) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_unit(strips, get_group_id(0));
  const u64 end = first_unit(strips, get_group_id(0) + 1);
  ACC sums[SUMS];
  for (u64 unit = first; unit < end; ++unit) {
    const LineStrip strip = strip_of_unit(places, strips, unit, lines, n);
    if (strip.lines == 0) continue;
    const LineStarts starts = starts_of_line(places, strip.line);
    const LineElements leaf =
        elements_from(INPUT_ARGUMENTS, starts.input + strip.begin * places.input.element,
                      starts.second + strip.begin * places.second.element);
    const bool neighbours = are_neighbours(places);
    const u32 kept = strip.columns;  // Sums of a leaf.
    u32 columns = kept;

    // --- Lines, or leaves of one line, that lie a hop apart ---
    LinePlaces hop = places;
    u32 leaves = strip.lines;
    if (strips.each > 1) {
      hop.input.element *= LEAF;
      hop.second.element *= LEAF;
      leaves = 0;
      for (u32 k = 0; k < strips.each && strip.begin + (u64)k * LEAF < n; ++k) ++leaves;
    } else {
      hop.input.element = places.input.inner;
      hop.second.element = places.second.inner;
    }

    if (neighbours && kept > 1 && n <= COLUMNS) {
      // --- Of a single row, combine the elements of both halves ---
      columns = kept / 2;
      const u32 pairs = strip.count - columns;
      u32 from = 0;
#pragma unroll
      for (u32 part = COLUMNS / 2; part > 0; part /= 2) {
        if ((pairs & part) == 0) continue;
        for (u32 k = 0; k < leaves; ++k) {
          begin_pairs(elements_behind(elements_behind(leaf, hop, k), places, from), places,
                      to_neighbours(places), columns, part, from, 1, n, sums + k * kept + from);
        }
        from += part;
      }
#pragma unroll
      for (u32 part = COLUMNS / 2; part > 0; part /= 2) {
        if (((columns - pairs) & part) == 0) continue;
        for (u32 k = 0; k < leaves; ++k) {
          begin_items(elements_behind(elements_behind(leaf, hop, k), places, from),
                      to_neighbours(places), part, from, 1, n, sums + k * kept + from);
        }
        from += part;
      }
    } else {
      // --- Add the rows of each leaf ---
      for (u32 s = 0; s < leaves * kept; ++s) sums[s] = IDENTITY;
      for (u32 k = 0; k < leaves; ++k) {
        const LineElements own = elements_behind(leaf, hop, k);
        const u64 begin = strips.each > 1 ? strip.begin + (u64)k * LEAF : strip.begin;
        const u32 count = begin < n ? (u32)(n - begin < LEAF ? n - begin : LEAF) : 0;
        if (neighbours) {
          add_neighbours(own, to_neighbours(places), count, begin, n, sums + k * kept);
        } else {
          for (u32 row = 0; row < count; row += COLUMNS) {
            add_items(elements_behind(own, places, row), places,
                      count - row < COLUMNS ? count - row : COLUMNS, begin + row, 1, n,
                      sums + k * kept);
          }
        }
      }
    }

    // --- Fold the columns of each leaf by halving, the last ones of a leaf at once ---
    // Memory would rest meanwhile. Longer lines are predicted better.
    const bool loads_ahead = neighbours && n * sizeof(IN) <= CACHE_LINE;
#pragma unroll
    for (u32 width = COLUMNS / 2; width > 4; width /= 2) {
      for (u32 k = 0; width < columns && k < leaves; ++k) halve(sums + k * kept, width);
    }
#pragma unroll
    for (u32 width = 4; width > 0; width /= 2) {
      if (columns != 2 * width && (width < 4 || columns < 8)) continue;
      for (u32 k = 0; k < leaves; ++k) {
        if (loads_ahead) LOAD_AHEAD((size_t)elements_behind(leaf, hop, leaves + k).first);
        sums[k * kept] = fold_last(sums + k * kept, width);
      }
    }

    // --- Write the totals ---
    if (strips.leaves > 1) {
      __global ACC* own = nodes + nodes_offset + strip.line * strips.leaves + strip.begin / LEAF;
      for (u32 k = 0; k < leaves; ++k) {
        own[strips.each > 1 ? k : k * strips.leaves] = sums[k * kept];
      }
    } else {
      for (u32 k = 0; k < leaves; ++k) {
        PUT_RESULT_FROM(result, result_offset, starts.output + k * places.output.inner,
                        COMBINE(INIT_OF_LINE(places, strip.line + k), sums[k * kept]));
      }
    }
  }
}

// Part reduce_column_chunks: The same for lines that lie side by side in memory. A work-item keeps
// the columns of a strip of lines, and adds rows to them as these lie in memory.
// Cost: reads each element once, writes one result per line, or one accumulator per leaf if lines
// are longer than that; no barrier.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_column_chunks
// Uses: count, line_count, line_init, outputs, line_columns_chunks

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_column_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS, __global ACC* nodes,
    u64 nodes_offset, __global OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places,
    LineStrips strips) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_unit(strips, get_group_id(0));
  const u64 end = first_unit(strips, get_group_id(0) + 1);
  LinePlaces step = places;
  step.input.element = places.input.inner;
  step.second.element = places.second.inner;
  ACC sums[SUMS];
  for (u64 unit = first; unit < end; ++unit) {
    const LineStrip strip = strip_of_unit(places, strips, unit, lines, n);
    if (strip.lines == 0) continue;
    const LineStarts starts = starts_of_line(places, strip.line);
    const LineElements leaf =
        elements_from(INPUT_ARGUMENTS, starts.input + strip.begin * places.input.element,
                      starts.second + strip.begin * places.second.element);

    // Elements of several columns are one run where they lie behind each other.
    const bool neighbours = are_neighbours(step);
    const bool whole = places.input.element == strip.lines * places.input.inner &&
                       places.second.element == strip.lines * places.second.inner;
    const u32 count = strip.count;
    u32 columns = strip.columns;
    u32 here = 1;
    if (neighbours && count > 0 && count <= COLUMNS) {
      // --- Of a single row, fold eight columns at a time ---
      if (columns >= 8) columns /= 8;
      const u32 filled = count < columns ? count : columns;
      for (u32 c = 0; c < filled; c += here) {
        const u32 more = count % columns;  // Columns that have one more.
        if (whole) here = (c < more ? more : columns) - c;
        const u32 items = here * strip.lines;
        const LineElements first = elements_behind(leaf, places, c);
        const u64 i = strip.begin + c;
        ACC* own = sums + c * strip.lines;
        if (columns < strip.columns) {
          begin_eights(first, places, to_neighbours(step), columns, (count - c - 1) / columns + 1,
                       items, i, strip.lines, n, own);
        } else {
          begin_items(first, to_neighbours(step), items, i, strip.lines, n, own);
        }
      }
      for (u32 s = filled * strip.lines; s < columns * strip.lines; ++s) sums[s] = IDENTITY;
    } else {
      // --- Add the rows, several at a time, and one class of columns after the other ---
      const u32 classes = columns * strip.lines <= SUMS ? 1 : CLASSES;
      columns /= classes;
      for (u32 part = 0; part < classes; ++part) {
        ACC* own = sums + (classes > 1 ? classes * strip.lines : 0);
        for (u32 s = 0; s < columns * strip.lines; ++s) own[s] = IDENTITY;
        u32 rows = 1;
        for (u32 row = 0; row < count; row += rows * COLUMNS) {
          rows = neighbours && count - row >= ROWS_AT_ONCE * COLUMNS ? ROWS_AT_ONCE : 1;
          const u32 end = count - row < COLUMNS ? count - row : COLUMNS;
          if (whole && classes == 1) here = end;
          const u32 items = here * strip.lines;
          for (u32 c = part; c < end; c += here * classes) {
            const LineElements first = elements_behind(leaf, places, row + c);
            const u64 i = strip.begin + row + c;
            ACC* column = own + c / classes * strip.lines;
            if (rows > 1) {
              add_rows(first, places, to_neighbours(step), items, i, strip.lines, n, column);
            } else if (neighbours) {
              add_items(first, to_neighbours(step), items, i, strip.lines, n, column);
            } else {
              add_items(first, step, items, i, strip.lines, n, column);
            }
          }
        }
        if (classes == 1) continue;
        fold_columns(own, columns, strip.lines);
        for (u32 s = 0; s < strip.lines; ++s) sums[part * strip.lines + s] = own[s];
      }
      if (classes > 1) columns = classes;
    }

    // --- Fold what is left by halving ---
    fold_columns(sums, columns, strip.lines);

    // --- Write the totals ---
    for (u32 k = 0; k < strip.lines; ++k) {
      const u64 line = strip.line + k;
      if (strips.leaves == 1) {
        PUT_RESULT_FROM(result, result_offset, starts.output + k * places.output.inner,
                        COMBINE(INIT_OF_LINE(places, line), sums[k]));
      } else if (strip.count > 0) {
        nodes[nodes_offset + line * strips.leaves + strip.begin / LEAF] = sums[k];
      }
    }
  }
}

// Part reduce_line_nodes_chunks: The last launch where a line has several leaves: the perfect
// binary tree over their totals, and the initial value. A work-item takes whole lines.
// Cost: reads an accumulator per leaf, writes one result per line; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: reduce_line_nodes_chunks
// Uses: count, line_count, line_init, outputs, line_starts

#ifndef LEAF
#define LEAF 4096  // Elements of a node.
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_line_nodes_chunks(
    __global ACC* nodes, u64 nodes_offset, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places, u64 most) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 count = n / LEAF + (n % LEAF != 0);
  for (u64 line = get_group_id(0); line < lines; line += get_num_groups(0)) {
    // --- Combine neighbours until one node is left ---
    __global ACC* own = nodes + nodes_offset + line * most;
    for (u64 distance = 1; distance < count; distance *= 2) {
      for (u64 i = 0; i + distance < count; i += 2 * distance) {
        own[i] = COMBINE(own[i], own[i + distance]);
      }
    }

    // --- Write the result ---
    const ACC root = count > 0 ? own[0] : IDENTITY;
    PUT_RESULT_FROM(result, result_offset, starts_of_line(places, line).output,
                    COMBINE(INIT_OF_LINE(places, line), root));
  }
}
