// Part column_rows: rows of order v1 of lines that lie side by side in memory. A work-item has a
// row of a line to itself, and its neighbours have the rows of the next lines. A group has several
// rows of a line at once.
// Provides: column_rows
// Uses: line_slots, line_elements

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define ROW (RUN * ROW_RUNS)
#ifndef KEPT_RUNS
#define KEPT_RUNS ROW_RUNS  // Runs of a row that a work-item keeps: all, or those of short lines.
#endif
#define KEPT (RUN * KEPT_RUNS)
#ifndef WHOLE_ROWS
#define WHOLE_ROWS 0  // Whether whole rows have code of their own, without limits.
#endif
#ifndef RUN_BY_RUN
#define RUN_BY_RUN 0  // Whether the work-items of a group go from run to run together.
#endif
// Compilers for CPUs let one work-item after the other run to the next barrier. With one at each
// run, neighbours read and write a line of the cache soon after each other.
#if RUN_BY_RUN
#define BEGIN_RUN() __syncthreads()
#else
#define BEGIN_RUN()
#endif

// How a call is shared out. A unit is `1 << line_shift` neighbouring lines and one of their tiles.
// A group walks along the tiles of several units, `1 << row_shift` rows at a time.
typedef struct {
  u64 line_shift;
  u64 row_shift;
  u64 tiles;   // Of a line, at most.
  u64 blocks;  // Of units, one for a group at a time.
} ColumnTiles;

DEVICE LineSlot column_slot(LinePlaces places, ColumnTiles tiles, u64 block, u64 lines, u64 n) {
  const u32 unit_shift = (u32)(tiles.line_shift + tiles.row_shift);
  u64 unit = (block * GROUP_SIZE + threadIdx.x) >> unit_shift;
  u64 begin = 0;
  if (tiles.tiles > 1) {
    begin = unit % tiles.tiles * TILE;
    unit /= tiles.tiles;
  }
  const u32 line = threadIdx.x & ((1u << tiles.line_shift) - 1);
  return slot_of_line(places, (unit << tiles.line_shift) + line, lines, begin, n);
}
DEVICE u32 column_row(ColumnTiles tiles) {
  return (threadIdx.x >> tiles.line_shift) & ((1u << tiles.row_shift) - 1);
}

// Part column_elements_values: the elements of a row, each as soon as it is loaded.
// Provides: column_elements
// Uses: column_rows

// The first `count` elements behind `at`, of which the first has index `begin`; if the row is
// `whole`, all. What does not exist is the identity. No line has more than `runs` runs there.
DEVICE void load_column_elements(LineElements at, LinePlaces places, bool whole, u32 count,
                                 u32 runs, u64 begin, u64 n, ACC* sums) {
  // One array of values: a work-item has no registers for a second one.
#pragma unroll
  for (u32 e = 0; e < KEPT; ++e) sums[e] = IDENTITY;
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
    BEGIN_RUN();
    if (whole || l < runs) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u32 e = l * RUN + k;
        if (whole || e < count) sums[e] = lift_in_line(first_element(at), begin + e, n);
        at = elements_behind(at, places, 1);
      }
    }
  }
}

// Part column_elements_words: the same of one array of elements that fit a word. All are loaded
// before the first one is converted, as a compiler keeps an element and what it becomes in one
// register if both are words, and else waits for each. A look-back leaves no registers for that.
// Provides: column_elements
// Uses: column_rows, element_words

// As for values.
DEVICE void load_column_elements(LineElements at, LinePlaces places, bool whole, u32 count,
                                 u32 runs, u64 begin, u64 n, ACC* sums) {
  u32 words[KEPT];
#pragma unroll
  for (u32 e = 0; e < KEPT; ++e) words[e] = 0;
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
    BEGIN_RUN();
    if (whole || l < runs) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u32 e = l * RUN + k;
        if (whole || e < count) words[e] = word_of_element(first_element(at));
        at = elements_behind(at, places, 1);
      }
    }
  }
#pragma unroll
  for (u32 e = 0; e < KEPT; ++e) {
    sums[e] = IDENTITY;
    if (whole || e < count) sums[e] = lift_in_line(element_of_word(words[e]), begin + e, n);
  }
}

// Part column_runs: the runs of a row of a work-item, whose elements a kernel chooses how to load.
// Provides: column_runs
// Uses: column_rows

// Loads the row that begins with element `first` of the slot, and folds its runs. What does not
// exist is the identity. No line has more than `runs` runs there.
DEVICE void load_column_row(INPUT_PARAMETERS, LinePlaces places, LineSlot slot, u32 first, u32 runs,
                            u64 n, ACC* sums) {
  const u32 count = first < slot.left ? slot.left - first : 0;
  LineElements at =
      elements_behind(elements_from(INPUT_ARGUMENTS, slot.input, slot.second), places, first);
#if WHOLE_ROWS
  if (count >= KEPT) {
    load_column_elements(at, places, true, count, runs, slot.begin + first, n, sums);
  } else
#endif
    load_column_elements(at, places, false, count, runs, slot.begin + first, n, sums);
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sums[l * RUN + k] = COMBINE(sums[l * RUN + k - 1], sums[l * RUN + k]);
    }
  }
}

// Part column_prefix: the prefixes of a row of a work-item.
// Provides: column_prefix
// Uses: column_runs

// A step of the Kogge-Stone prefix over the folds of whole runs.
DEVICE void add_earlier_runs(ACC* sums, u32 distance) {
#pragma unroll
  for (u32 s = 0; s < KEPT_RUNS - 1; ++s) {
    const u32 l = KEPT_RUNS - 1 - s;
    const u32 last = l * RUN + RUN - 1;
    if (l >= distance) sums[last] = COMBINE(sums[last - distance * RUN], sums[last]);
  }
}

// The folds of whole runs become the prefixes of the row, of which `runs` are wanted. Steps are
// written one by one, as a compiler that keeps a loop of them keeps the array in memory.
DEVICE void prefix_column_row(ACC* sums, u32 runs) {
  if (runs > 1) add_earlier_runs(sums, 1);
  if (runs > 2) add_earlier_runs(sums, 2);
  if (KEPT_RUNS > 4 && runs > 4) add_earlier_runs(sums, 4);
  if (KEPT_RUNS > 8 && runs > 8) add_earlier_runs(sums, 8);
  if (KEPT_RUNS > 16 && runs > 16) add_earlier_runs(sums, 16);
}

// Part column_total: the total of a row of a work-item.
// Provides: column_total
// Uses: column_runs

DEVICE void combine_neighbouring_runs(ACC* sums, u32 distance) {
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
    const u32 last = l * RUN + RUN - 1;
    if (l % (2 * distance) == 0 && l + distance < KEPT_RUNS) {
      sums[last] = COMBINE(sums[last], sums[last + distance * RUN]);
    }
  }
}

// The perfect binary tree over the runs, of whose folds it leaves nothing.
DEVICE ACC total_column_row(ACC* sums) {
  combine_neighbouring_runs(sums, 1);
  combine_neighbouring_runs(sums, 2);
  if (KEPT_RUNS > 4) combine_neighbouring_runs(sums, 4);
  if (KEPT_RUNS > 8) combine_neighbouring_runs(sums, 8);
  if (KEPT_RUNS > 16) combine_neighbouring_runs(sums, 16);
  return sums[RUN - 1];
}

// Part column_results: the results of a row of a work-item.
// Provides: column_results
// Uses: outputs, column_rows, total

// Stores the results of a row from `own` on, whose first element has index `begin`. `start` lies
// before the row, `after` is what its last element has with all before it. `whole`, `count` and
// `runs` as for loading.
DEVICE void write_column_elements(Outputs own, LinePlaces places, u64 line, bool whole, u32 count,
                                  u32 runs, u64 begin, u64 n, const ACC* sums, ACC start,
                                  ACC after TOTAL_PARAMETERS) {
  ACC carry = start;
#pragma unroll
  for (u32 l = 0; l < KEPT_RUNS; ++l) {
    BEGIN_RUN();
    if (whole || l < runs) {
      ACC running = carry;
      const ACC next = l == ROW_RUNS - 1 ? after : COMBINE(start, sums[l * RUN + RUN - 1]);
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u32 e = l * RUN + k;
        const bool exists = whole || e < count;
        const ACC exclusive = running;
        running = next;
        if (k < RUN - 1) running = COMBINE(carry, sums[e]);
        LEAVE_TOTAL_OF(line, exists && begin + e + 1 == n, running);
        ACC result = INCLUSIVE ? running : exclusive;
        PUT_FIRST(begin + e == 0, result);
        if (exists) PUT_RESULT(own, 0, result);
        own = OUTPUTS_FROM(own, behind_first(1, ELEMENT_STRIDE(places.output)));
      }
      carry = next;
    }
  }
}

// Stores the results of the row that begins with element `first` of the slot.
DEVICE void write_column_row(Outputs output, LinePlaces places, LineSlot slot, u32 first, u32 runs,
                             u64 n, const ACC* sums, ACC start, ACC after TOTAL_PARAMETERS) {
  const u32 count = first < slot.left ? slot.left - first : 0;
  const Outputs own = OUTPUTS_FROM(OUTPUTS_FROM(output, slot.output),
                                   behind_first(first, ELEMENT_STRIDE(places.output)));
#if WHOLE_ROWS
  if (count >= KEPT) {
    write_column_elements(own, places, slot.line, true, count, runs, slot.begin + first, n, sums,
                          start, after TOTAL_ARGUMENTS);
  } else
#endif
    write_column_elements(own, places, slot.line, false, count, runs, slot.begin + first, n, sums,
                          start, after TOTAL_ARGUMENTS);
}
