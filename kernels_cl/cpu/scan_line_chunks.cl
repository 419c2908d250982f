// Part line_chunks: lines, or tiles of lines, that a CPU's work-item takes at once.
// Provides: line_chunks
// Uses: line_starts, line_order, lane_elements_chunks

#define TILE (ROW * WARP_TILE_ROWS * WARP_TILES)

// How a call is shared out, in units. Lines of a few come as tiles, so that all processors have
// some.
typedef struct {
  u64 width;   // Lines of a strip, where lines lie side by side.
  u64 strips;  // Of one outer index, where lines lie side by side; else units of a line.
  u64 tiles;   // Of a line, at most; none where a unit has whole lines.
  u64 units;
} LineChunks;

// Each group has a block of units; the last ones may have none.
DEVICE u64 first_chunk(LineChunks chunks, u64 group) {
  const u64 groups = get_num_groups(0);
  const u64 first = group * (chunks.units / groups + (chunks.units % groups != 0));
  return first < chunks.units ? first : chunks.units;
}

// What a unit has: lines, or tiles of one line.
typedef struct {
  u64 line;
  u32 count;  // None, too.
  u64 tile;
  u64 begin;   // The first element, which begins a tile.
  u64 length;  // Of each.
} LineChunk;

// Part line_rows_chunks: such chunks of a line, or of a few lines, wherever these lie.
// Provides: line_rows_chunks
// Uses: line_chunks, line_lanes

DEVICE LineChunk rows_of_unit(LineChunks chunks, u64 unit, u64 lines, u64 n) {
  LineChunk chunk;
  u64 count = 0;
  chunk.tile = 0;
  if (chunks.tiles == 0) {
    chunk.line = unit * LINE_LANES;
    if (chunk.line < lines) count = lines - chunk.line;
    chunk.length = n;
  } else {
    // The last unit of a line has the tile that is not full.
    chunk.line = unit / chunks.strips;
    const u64 strip = unit - chunk.line * chunks.strips;
    const u64 full = n / TILE;
    if (strip + 1 < chunks.strips) {
      chunk.tile = strip * LINE_LANES;
      if (chunk.tile < full) count = full - chunk.tile;
      chunk.length = TILE;
    } else {
      chunk.tile = full;
      chunk.length = n - full * TILE;
      if (chunk.length > 0 || n == 0) count = 1;
    }
    if (chunk.line >= lines) count = 0;
  }
  chunk.begin = chunk.tile * TILE;
  chunk.count = (u32)(count < LINE_LANES ? count : LINE_LANES);
  return chunk;
}

// Where each lane begins. Those that have nothing are like the last one that has. A compiler would
// have to wait for what is stored in parts and loaded as vectors, so it is neither.
DEVICE void starts_of_lanes(LinePlaces places, bool has_tiles, LineChunk chunk, u64 n,
                            u64 input[LINE_LANES], u64 output[LINE_LANES]) {
  u64 outer = chunk.line < places.inner ? 0 : chunk.line / places.inner;
  u64 inner = chunk.line - outer * places.inner;
  u64 begin = chunk.begin;
#pragma unroll
  for (u32 lane = 0; lane < LINE_LANES; ++lane) {
    const u64 place = place_in_line(begin, n);
    input[lane] = outer * places.input.outer + inner * places.input.inner +
                  place * ELEMENT_STRIDE(places.input);
    output[lane] = outer * places.output.outer + inner * places.output.inner +
                   place * ELEMENT_STRIDE(places.output);
    if (lane + 1 < chunk.count && has_tiles) {
      begin += TILE;
    } else if (lane + 1 < chunk.count && ++inner == places.inner) {
      inner = 0;
      ++outer;
    }
  }
}

// Part scan_line_chunks: The scan of many lines in order v1 for CPUs, each with the bits that it
// has alone. A work-item walks along eight lines at once, which are the lanes of its vectors. Lines
// of a few are walked along tile by tile, behind total_line_chunks and prefix_line_chunks.
// Cost: reads and writes each element once, and reads it twice if lines are few; one launch or
// three; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_line_chunks
// Uses: count, line_count, line_init, total, line_rows_chunks, line_walk,
//   line_caches_chunks

typedef uint4 WordsAnywhere __attribute__((aligned(1)));

// Stores `count` results of a row of a line, which lie as in memory.
INLINE void store_results(const OUT* row, __global OUT* to, LinePlaces places, bool neighbours,
                          u32 count, bool past) {
  if (!neighbours) {
    for (u32 e = 0; e < count; ++e) {
      to[behind_first(e, places.output.element)] = row[place_in_row(e)];
    }
    return;
  }
  row += REVERSED ? ROW - count : 0;
  to -= REVERSED ? count - 1 : 0;
  const bool divides = sizeof(uint4) % sizeof(OUT) == 0;
  if (divides && past && (size_t)to % sizeof(uint4) == 0) {
    const u32 whole = count * sizeof(OUT) / sizeof(uint4);
    for (u32 v = 0; v < whole; ++v) {
      STORE_PAST_CACHES(((const WordsAnywhere*)row)[v], (__global uint4*)to + v);
    }
    for (u32 e = whole * sizeof(uint4) / sizeof(OUT); e < count; ++e) to[e] = row[e];
  } else {
    store_neighbours(row, to, count);
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_line_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    const __global ACC* partials, u64 partials_offset, __global OUT* output, u64 output_offset,
    LinePlaces places, LineChunks chunks TOTAL_PARAMETERS) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_chunk(chunks, get_group_id(0));
  const u64 end = first_chunk(chunks, get_group_id(0) + 1);
  const bool has_tiles = chunks.tiles > 0;
  const bool neighbours = are_side_by_side(places.input) && are_side_by_side(places.output);
  output += output_offset;
  partials += partials_offset;
  // Of shorter lines, more is lost where a cache line is stored in parts.
  const bool past =
      n >= ROW && lines_go_past_caches(elements_from(INPUT_ARGUMENTS, 0, 0), output, n * lines);
  for (u64 unit = first; unit < end; ++unit) {
    const LineChunk chunk = rows_of_unit(chunks, unit, lines, n);
    if (chunk.count == 0) continue;
    u64 input[LINE_LANES];
    u64 to[LINE_LANES];
    LaneElements lanes;
    lanes.i = chunk.begin;
    lanes.apart = has_tiles ? TILE : 0;
    lanes.neighbours = neighbours;
    starts_of_lanes(places, has_tiles, chunk, n, input, to);
#pragma unroll
    for (u32 lane = 0; lane < LINE_LANES; ++lane) {
      lanes.from[lane] = elements_from(INPUT_ARGUMENTS, input[lane], 0);
    }

    // --- Find what lies before each lane, and behind ---
    const __global ACC* own = partials + chunk.line * (chunks.tiles + 1) + chunk.tile;
    const bool has_next = has_tiles && chunk.length == TILE;
    Lanes before;
    Lanes next;
#pragma unroll
    for (u32 lane = 0; lane < LINE_LANES; ++lane) {
      const u32 like = lane < chunk.count ? lane : chunk.count - 1;
      put_lane(&before, lane, has_tiles ? own[like] : INIT_OF_LINE(places, chunk.line + like));
      put_lane(&next, lane, has_next ? own[like + 1] : IDENTITY);
      LEAVE_TOTAL_OF(chunk.line + like, n == 0, lane_of(&before, lane));
    }
    LineWalk walk;
    LinePrefixes prefixes;
    begin_walk(&walk, &before);

    OUT row[LINE_LANES * ROW] __attribute__((aligned(sizeof(uint4))));
    for (u64 at = 0; at < chunk.length; at += ROW) {
      // --- Scan a row of each lane ---
      const u64 left = chunk.length - at;
      const u32 here = (u32)(left < ROW ? left : ROW);
      for (u32 e = 0; e < here; e += RUN) {
        const u32 items = here - e < RUN ? here - e : RUN;
        Lanes of[RUN];
        Lanes results[RUN + 1];
        load_runs(&lanes, places, at + e, items, n, of);
        walk_run(&walk, &prefixes, (at + e) / RUN, of, results);
        if (has_next && at + e + RUN == TILE) results[RUN] = next;
        put_runs(results + INCLUSIVE, e, row);
        for (u32 lane = 0; at + e + items == chunk.length && lane < chunk.count; ++lane) {
          LEAVE_TOTAL_OF(has_tiles ? chunk.line : chunk.line + lane,
                         lanes.i + lane * lanes.apart + chunk.length == n,
                         lane_of(&results[items], lane));
        }
      }

      // --- Write the row ---
      const u64 behind = behind_in_line(at, ELEMENT_STRIDE(places.output));
      for (u32 lane = 0; lane < chunk.count; ++lane) {
        STORE_FIRST(chunk.begin + at == 0 && (lane == 0 || !has_tiles),
                    row + lane * ROW + place_in_row(0));
        store_results(row + lane * ROW, output + (to[lane] + behind), places, neighbours, here,
                      past);
      }
    }
  }
}

// Part total_line_chunks: the totals of all full tiles of a few lines in order v1.
// Cost: reads each element once, writes an accumulator per tile; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_line_chunks
// Uses: count, line_count, line_rows_chunks, line_walk

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void total_line_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset, LinePlaces places, LineChunks chunks) {
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u64 first = first_chunk(chunks, get_group_id(0));
  const u64 end = first_chunk(chunks, get_group_id(0) + 1);
  for (u64 unit = first; unit < end; ++unit) {
    const LineChunk chunk = rows_of_unit(chunks, unit, lines, n);
    if (chunk.count == 0 || chunk.length < TILE) continue;
    u64 input[LINE_LANES];
    u64 to[LINE_LANES];
    LaneElements lanes;
    lanes.i = chunk.begin;
    lanes.apart = TILE;
    lanes.neighbours = are_side_by_side(places.input);
    starts_of_lanes(places, true, chunk, n, input, to);
#pragma unroll
    for (u32 lane = 0; lane < LINE_LANES; ++lane) {
      lanes.from[lane] = elements_from(INPUT_ARGUMENTS, input[lane], 0);
    }
    LineWalk walk;
    LinePrefixes prefixes;
    Lanes before;
    spread(IDENTITY, &before);
    begin_walk(&walk, &before);

    // --- Reduce the tiles ---
    for (u32 at = 0; at < TILE; at += ROW) {
      for (u32 e = 0; e < ROW; e += RUN) {
        Lanes of[RUN];
        Lanes results[RUN + 1];
        load_runs(&lanes, places, at + e, RUN, n, of);
        walk_run(&walk, &prefixes, (at + e) / RUN, of, results);
      }
    }

    // --- Write their totals ---
    const Lanes totals = total_of_walk(&walk);
    __global ACC* own = partials + partials_offset + chunk.line * (chunks.tiles + 1) + chunk.tile;
    for (u32 lane = 0; lane < chunk.count; ++lane) own[lane] = lane_of(&totals, lane);
  }
}

// Part prefix_line_chunks: what lies before each tile of every line, in place of the totals. A
// work-item takes whole lines.
// Cost: reads and writes an accumulator per tile; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: prefix_line_chunks
// Uses: count, line_count, line_init, line_chunks, order_prefix_local

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prefix_line_chunks(
    __global ACC* partials, u64 partials_offset, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS,
    INIT_PARAMETERS, LinePlaces places, LineChunks chunks) {
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / TILE;
  const u64 lines = LINE_COUNT;
  for (u64 line = get_group_id(0); line < lines; line += get_num_groups(0)) {
    // --- Turn totals into prefixes in place, a supertile at a time ---
    __global ACC* own = partials + partials_offset + line * (chunks.tiles + 1);
    ACC carry = INIT_OF_LINE(places, line);
    for (u64 begin = 0; begin <= tiles; begin += SUPERTILE_TILES) {
      ACC prefix[SUPERTILE_TILES];
      for (u32 t = 0; t < SUPERTILE_TILES; ++t) {
        prefix[t] = begin + t < tiles ? own[begin + t] : IDENTITY;
      }
      prefix_totals(prefix, SUPERTILE_TILES);
      own[begin] = carry;
      for (u32 t = 1; t < SUPERTILE_TILES && begin + t <= tiles; ++t) {
        own[begin + t] = COMBINE(carry, prefix[t - 1]);
      }
      carry = COMBINE(carry, prefix[SUPERTILE_TILES - 1]);
    }
  }
}
