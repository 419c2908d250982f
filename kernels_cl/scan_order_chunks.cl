// The scan in order v1 for CPU devices: the phases of scan_order_passes, one work-item per group
// and whole tiles per work-item, in plain loops over a strip that the compiler turns into vectors.
// Cost: reads each element twice, writes it once; three launches; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold; the phases are those of reduce-then-scan.

#define STRIP_RUNS (ROW_RUNS * STRIP_ROWS)
#define STRIP (RUN * STRIP_RUNS)
typedef char order_run_fits[RUN == (sizeof(VALUE) <= 4 ? 4 : sizeof(VALUE) <= 8 ? 2 : 1) ? 1 : -1];

// The strip from `begin` on; elements from n on are the identity, on which no result depends.
DEVICE void load_strip(Elements input, u64 begin, u64 n, ACC item[STRIP]) {
  if (begin + STRIP <= n) {
    for (u32 i = 0; i < STRIP; ++i) {
      item[i] = lift_element(load_element(input, begin + i), begin + i);
    }
  } else {
    for (u32 i = 0; i < STRIP; ++i) {
      item[i] = IDENTITY;
      if (begin + i < n) item[i] = lift_element(load_element(input, begin + i), begin + i);
    }
  }
}

// sum[k][u] is the fold of elements 0 to k of run u.
DEVICE void fold_runs(const ACC item[STRIP], ACC sum[RUN][STRIP_RUNS]) {
  for (u32 u = 0; u < STRIP_RUNS; ++u) {
    sum[0][u] = item[u * RUN];
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) sum[k][u] = COMBINE(sum[k - 1][u], item[u * RUN + k]);
  }
}

// One level of the binary tree that is a row's last prefix.
DEVICE void combine_pairs(const ACC* from, ACC* to, u32 count) {
  for (u32 i = 0; i < count; ++i) to[i] = COMBINE(from[2 * i], from[2 * i + 1]);
}

// One step of the Kogge-Stone prefix of every row. Branches would cost the vectors, so the first
// lanes of a row are combined with the row before as well, or with what lies before `from`, a row's
// width of any values, and are then put right.
DEVICE void prefix_step(const ACC* from, ACC* to, u32 distance) {
  for (u32 u = 0; u < STRIP_RUNS; ++u) to[u] = COMBINE((from - distance)[u], from[u]);
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    for (u32 l = 0; l < distance; ++l) to[r * ROW_RUNS + l] = from[r * ROW_RUNS + l];
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void total_chunks(INPUT_PARAMETERS,
                                                                          COUNT_PARAMETERS,
                                                                          __global ACC* partials,
                                                                          u64 partials_offset) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  partials += partials_offset;

  // --- Reduce the tiles of this work-item ---
  for (u64 begin = first; begin < end; begin += TILE) {
    ACC tile = IDENTITY;
    for (u32 s = 0; s < TILE_STRIPS; ++s) {
      ACC item[STRIP];
      ACC sum[RUN][STRIP_RUNS];
      ACC one[STRIP_RUNS / 4];
      ACC other[STRIP_RUNS / 2];
      load_strip(input, begin + s * STRIP, n, item);
      fold_runs(item, sum);
      combine_pairs(sum[RUN - 1], other, STRIP_RUNS / 2);
      combine_pairs(other, one, STRIP_RUNS / 4);
      combine_pairs(one, other, STRIP_RUNS / 8);
      combine_pairs(other, one, STRIP_RUNS / 16);
      combine_pairs(one, other, STRIP_RUNS / 32);
      ACC strip = other[0];
      for (u32 r = 1; r < STRIP_ROWS; ++r) strip = COMBINE(strip, other[r]);
      tile = s == 0 ? strip : COMBINE(tile, strip);
    }
    partials[begin / TILE] = tile;
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void prefix_chunks(__global ACC* partials,
                                                                           u64 partials_offset,
                                                                           COUNT_PARAMETERS,
                                                                           INIT_PARAMETERS) {
  // Nothing lies behind a tile that is not full: nobody asks for its total.
  const u64 tiles = COUNT / TILE;
  partials += partials_offset;

  // --- Turn totals into prefixes in place, a group of tiles at a time ---
  ACC carry = INIT;
  for (u64 begin = 0; begin <= tiles; begin += GROUP_TILES) {
    ACC prefix[GROUP_TILES];
    for (u32 t = 0; t < GROUP_TILES; ++t) {
      prefix[t] = begin + t < tiles ? partials[begin + t] : IDENTITY;
    }
    for (u32 distance = 1; distance < GROUP_TILES; distance *= 2) {
      for (u32 t = GROUP_TILES - 1; t >= distance; --t) {
        prefix[t] = COMBINE(prefix[t - distance], prefix[t]);
      }
    }
    // One more than totals: the last full tile's last inclusive value is what lies before the next.
    partials[begin] = carry;
    for (u32 t = 1; t < GROUP_TILES && begin + t <= tiles; ++t) {
      partials[begin + t] = COMBINE(carry, prefix[t - 1]);
    }
    carry = COMBINE(carry, prefix[GROUP_TILES - 1]);
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, const __global ACC* partials, u64 partials_offset,
    __global OUT* output, u64 output_offset TOTAL_PARAMETERS) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 first = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  output += output_offset;
  partials += partials_offset;

  // --- Scan the tiles of this work-item from their prefixes on ---
  ACC one[ROW_RUNS + STRIP_RUNS];
  ACC other[ROW_RUNS + STRIP_RUNS];
  for (u32 l = 0; l < ROW_RUNS; ++l) one[l] = other[l] = IDENTITY;
  for (u64 tile = first; tile < end; tile += TILE) {
    const ACC before = partials[tile / TILE];
    const ACC after = tile + TILE <= n ? partials[tile / TILE + 1] : before;
    ACC strips = IDENTITY;
    ACC base = before;
    for (u32 s = 0; s < TILE_STRIPS && tile + s * STRIP < n; ++s) {
      const u64 begin = tile + s * STRIP;
      ACC item[STRIP];
      ACC sum[RUN][STRIP_RUNS];
      load_strip(input, begin, n, item);
      fold_runs(item, sum);
      for (u32 u = 0; u < STRIP_RUNS; ++u) one[ROW_RUNS + u] = sum[RUN - 1][u];
      prefix_step(one + ROW_RUNS, other + ROW_RUNS, 1);
      prefix_step(other + ROW_RUNS, one + ROW_RUNS, 2);
      prefix_step(one + ROW_RUNS, other + ROW_RUNS, 4);
      prefix_step(other + ROW_RUNS, one + ROW_RUNS, 8);
      prefix_step(one + ROW_RUNS, other + ROW_RUNS, 16);
      const ACC* prefix = other + ROW_RUNS;

      // border[u] is everything before run u.
      ACC border[STRIP_RUNS + 1];
      ACC start = base;
      ACC rows = IDENTITY;
      for (u32 r = 0; r < STRIP_ROWS; ++r) {
        border[r * ROW_RUNS] = start;
        // The last one is overwritten by the next row's start.
        for (u32 l = 0; l < ROW_RUNS; ++l) {
          border[r * ROW_RUNS + l + 1] = COMBINE(start, prefix[r * ROW_RUNS + l]);
        }
        const ACC row = prefix[(r + 1) * ROW_RUNS - 1];
        rows = r == 0 ? row : COMBINE(rows, row);
        start = COMBINE(base, rows);
      }
      strips = s == 0 ? rows : COMBINE(strips, rows);
      base = s == TILE_STRIPS - 1 ? after : COMBINE(before, strips);
      border[STRIP_RUNS] = base;

      // An inclusive value is what an exclusive scan has behind it, and that of element n - 1 the
      // total.
      const u64 last = n - 1 - begin;
      const u32 run = (u32)(last / RUN);
      const u32 place = (u32)(last % RUN);
      LEAVE_TOTAL(last < STRIP && place == RUN - 1, border[run + 1]);
      LEAVE_TOTAL(last < STRIP && place < RUN - 1, COMBINE(border[run], sum[place][run]));
      for (u32 u = 0; u < STRIP_RUNS; ++u) {
        if (!INCLUSIVE) item[u * RUN] = border[u];
#pragma unroll
        for (u32 k = 0; k < RUN - 1; ++k) {
          item[u * RUN + k + !INCLUSIVE] = COMBINE(border[u], sum[k][u]);
        }
        if (INCLUSIVE) item[u * RUN + RUN - 1] = border[u + 1];
      }
      if (begin + STRIP <= n) {
        for (u32 i = 0; i < STRIP; ++i) output[begin + i] = TO_OUT(item[i]);
      } else {
        for (u32 i = 0; begin + i < n; ++i) output[begin + i] = TO_OUT(item[i]);
      }
    }
  }
  LEAVE_TOTAL(n == 0 && get_group_id(0) == 0, partials[0]);
}
