// Part line_strips_chunks: chunks of a strip of lines that lie side by side in memory.
// Provides: line_strips_chunks
// Uses: line_chunks, line_lanes, past_caches_chunks

#ifndef STRIP_LANES
#define STRIP_LANES 32  // Vectors of lines that a strip has, at most.
#endif

DEVICE LineChunk columns_of_unit(LinePlaces places, LineChunks chunks, u64 unit, u64 lines, u64 n) {
  LineChunk chunk;
  chunk.tile = 0;
  if (chunks.tiles > 0) {
    const u64 all = chunks.units / chunks.tiles;
    chunk.tile = unit / all;
    unit -= chunk.tile * all;
  }
  chunk.begin = chunk.tile * TILE;
  chunk.length = chunk.begin < n ? n - chunk.begin : 0;
  if (chunks.tiles > 0 && chunk.length > TILE) chunk.length = TILE;
  const u64 outer = unit / chunks.strips;
  const u64 inner = (unit - outer * chunks.strips) * chunks.width;
  u64 count = places.inner - inner < chunks.width ? places.inner - inner : chunks.width;
  chunk.line = outer * places.inner + inner;
  if (lines < chunk.line + count) count = lines > chunk.line ? lines - chunk.line : 0;
  if (chunk.length == 0 && chunk.tile > 0) count = 0;
  chunk.count = (u32)count;
  return chunk;
}

// Lines of a strip from vector v on, as many as a vector has.
DEVICE u32 lines_of_lanes(LineChunk chunk, u32 v) {
  const u32 left = chunk.count - v * LINE_LANES;
  return left < LINE_LANES ? left : LINE_LANES;
}

#define AHEAD (2 * RUN)  // How many elements of each line are loaded into the caches early.

// Loads an element of each of `count` lines.
INLINE void load_column(LineElements from, LinePlaces places, bool neighbours, u32 count, u64 i,
                        u64 n, Lanes* to) {
  if (neighbours && count == LINE_LANES) {
    LOAD_AHEAD((size_t)elements_behind(from, places, AHEAD).first);
    load_whole_column(from, i, n, to);
    return;
  }
  spread(IDENTITY, to);
  for (u32 lane = 0; lane < count; ++lane) {
    const LineElements line = elements_beside(from, lane * places.input.inner);
    put_lane(to, lane, lift_in_line(first_element(line), i, n));
  }
}

// Loads a run of `items` elements of each of `count` lines.
INLINE void load_column_run(LineElements from, LinePlaces places, bool neighbours, u32 count, u64 i,
                            u32 items, u64 n, Lanes of[RUN]) {
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    if (k < items) {
      load_column(elements_behind(from, places, k), places, neighbours, count, i + k, n, &of[k]);
    } else {
      spread(IDENTITY, &of[k]);
    }
  }
}

// Part scan_column_chunks: The same for lines that lie side by side in memory. A work-item walks
// along a strip of them, as they lie in memory: a vector has neighbouring lines. Lines of a few
// are walked along tile by tile, behind total_column_chunks and prefix_line_chunks.
// Cost: reads and writes each element once, and reads it twice if lines are few; one launch or
// three; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_column_chunks
// Uses: count, line_count, line_init, total, line_strips_chunks, line_walk,
//   line_caches_chunks

// Stores a result of each of `count` lines.
INLINE void store_column(const Lanes* from, __global OUT* to, LinePlaces places, bool neighbours,
                         u32 count, bool past) {
  if (neighbours && count == LINE_LANES) {
    store_whole_column(from, to, past);
    return;
  }
  for (u32 lane = 0; lane < count; ++lane) {
    to[lane * places.output.inner] = TO_OUT(lane_of(from, lane));
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_column_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    const __global ACC* partials, u64 partials_offset, __global OUT* output, u64 output_offset,
    LinePlaces places, LineChunks chunks TOTAL_PARAMETERS) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_chunk(chunks, get_group_id(0));
  const u64 end = first_chunk(chunks, get_group_id(0) + 1);
  const bool has_tiles = chunks.tiles > 0;
  const bool neighbours_in = places.input.inner == 1;
  const bool neighbours_out = places.output.inner == 1;
  output += output_offset;
  partials += partials_offset;
  const bool past = lines_go_past_caches(elements_from(INPUT_ARGUMENTS, 0, 0), output, n * lines);
  for (u64 unit = first; unit < end; ++unit) {
    const LineChunk chunk = columns_of_unit(places, chunks, unit, lines, n);
    if (chunk.count == 0) continue;
    const LineStarts starts = starts_of_line(places, chunk.line);
    const u64 place = place_in_line(chunk.begin, n);
    LineElements from =
        elements_from(INPUT_ARGUMENTS, starts.input + place * places.input.element, 0);
    __global OUT* to = output + (starts.output + place * places.output.element);

    // --- Find what lies before each line ---
    const __global ACC* own = partials + chunk.line * (chunks.tiles + 1) + chunk.tile;
    LineWalk walk[STRIP_LANES];
    LinePrefixes prefixes[STRIP_LANES];
    for (u32 v = 0; v * LINE_LANES < chunk.count; ++v) {
      const u32 count = lines_of_lanes(chunk, v);
      Lanes before;
#pragma unroll
      for (u32 lane = 0; lane < LINE_LANES; ++lane) {
        const u32 line = v * LINE_LANES + (lane < count ? lane : count - 1);
        put_lane(
            &before, lane,
            has_tiles ? own[line * (chunks.tiles + 1)] : INIT_OF_LINE(places, chunk.line + line));
        LEAVE_TOTAL_OF(chunk.line + line, n == 0, lane_of(&before, lane));
      }
      begin_walk(&walk[v], &before);
    }

    for (u64 at = 0; at < chunk.length; at += RUN) {
      const u32 items = chunk.length - at < RUN ? (u32)(chunk.length - at) : RUN;
      const u64 i = chunk.begin + at;
      for (u32 v = 0; v * LINE_LANES < chunk.count; ++v) {
        // --- Scan a run of neighbouring lines ---
        const u32 count = lines_of_lanes(chunk, v);
        const u32 line = v * LINE_LANES;
        Lanes of[RUN];
        Lanes results[RUN + 1];
        load_column_run(elements_beside(from, line * places.input.inner), places, neighbours_in,
                        count, i, items, n, of);
        walk_run(&walk[v], &prefixes[v], at / RUN, of, results);
        if (has_tiles && at + RUN == TILE) {
          for (u32 lane = 0; lane < count; ++lane) {
            put_lane(&results[RUN], lane, own[(line + lane) * (chunks.tiles + 1) + 1]);
          }
        }

        // --- Write it ---
        __global OUT* here = to + line * places.output.inner;
#pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
          if (k < items) {
            store_column(&results[k + INCLUSIVE], here + behind_first(k, places.output.element),
                         places, neighbours_out, count, past);
          }
        }
        for (u32 lane = 0; i == 0 && lane < count; ++lane) {
          STORE_FIRST(true, here + lane * places.output.inner);
        }
        for (u32 lane = 0; i + items == n && lane < count; ++lane) {
          LEAVE_TOTAL_OF(chunk.line + line + lane, true, lane_of(&results[items], lane));
        }
      }
      from = elements_behind(from, places, RUN);
      to += behind_first(RUN, places.output.element);
    }
  }
}

// Part total_column_chunks: the totals of all full tiles of such lines in order v1.
// Cost: reads each element once, writes an accumulator per tile; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_column_chunks
// Uses: count, line_count, line_strips_chunks, line_walk

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void total_column_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset, LinePlaces places, LineChunks chunks) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_chunk(chunks, get_group_id(0));
  const u64 end = first_chunk(chunks, get_group_id(0) + 1);
  const bool neighbours = places.input.inner == 1;
  for (u64 unit = first; unit < end; ++unit) {
    const LineChunk chunk = columns_of_unit(places, chunks, unit, lines, n);
    if (chunk.count == 0 || chunk.length < TILE) continue;
    LineElements from = elements_from(INPUT_ARGUMENTS,
                                      starts_of_line(places, chunk.line).input +
                                          place_in_line(chunk.begin, n) * places.input.element,
                                      0);
    LineWalk walk[STRIP_LANES];
    LinePrefixes prefixes[STRIP_LANES];
    Lanes before;
    spread(IDENTITY, &before);
    for (u32 v = 0; v < STRIP_LANES; ++v) begin_walk(&walk[v], &before);

    // --- Reduce the tile of each line ---
    for (u32 at = 0; at < TILE; at += RUN) {
      for (u32 v = 0; v * LINE_LANES < chunk.count; ++v) {
        Lanes of[RUN];
        Lanes results[RUN + 1];
        load_column_run(elements_beside(from, v * LINE_LANES * places.input.inner), places,
                        neighbours, lines_of_lanes(chunk, v), chunk.begin + at, RUN, n, of);
        walk_run(&walk[v], &prefixes[v], at / RUN, of, results);
      }
      from = elements_behind(from, places, RUN);
    }

    // --- Write their totals ---
    __global ACC* own = partials + partials_offset + chunk.line * (chunks.tiles + 1) + chunk.tile;
    for (u32 v = 0; v * LINE_LANES < chunk.count; ++v) {
      const Lanes totals = total_of_walk(&walk[v]);
      for (u32 lane = 0; lane < lines_of_lanes(chunk, v); ++lane) {
        own[(v * LINE_LANES + lane) * (chunks.tiles + 1)] = lane_of(&totals, lane);
      }
    }
  }
}
