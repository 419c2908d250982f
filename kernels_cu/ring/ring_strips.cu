// Part ring_strips_rows:
// the total of a strip in a stage of a ring, whose lanes have a run of every row.
// Provides: ring_strips
// Uses: words, order_lanes, ring_items, ring_reads, ring_runs

// One of two values. A choice between structs is one of an address, for which this compiler keeps
// arrays of three words each in memory: so of those every word is chosen. By that f32 takes longer,
// and from OpenCL it is structs of three words that are kept in memory.
#if RUN_BYTES == 12
#define CHOSEN(first, a, b) chosen_words(first, a, b)

DEVICE ACC chosen_words(bool first, ACC a, ACC b) {
  const AccWords one = words_of(a);
  AccWords words = words_of(b);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) words.word[w] = first ? one.word[w] : words.word[w];
  return words.value;
}
#else
#define CHOSEN(first, a, b) ((first) ? (a) : (b))
#endif

// The totals of as many rows as a strip has, in the shape of a binary tree: lane l is given that of
// row l % STRIP_ROWS. Lanes that meet share out the rows, so that each step is half of the one
// before.
DEVICE ACC total_rows(ACC x[STRIP_ROWS], LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const bool later = (lane_index() & distance) != 0;
    const u32 partner = lane_index() ^ distance;
    if (distance < STRIP_ROWS) {
#pragma unroll
      for (u32 r = 0; r < STRIP_ROWS / 2 / distance; ++r) {
        const ACC own = CHOSEN(later, x[2 * r + 1], x[2 * r]);
        const ACC other = lane_value(CHOSEN(later, x[2 * r], x[2 * r + 1]), partner, scratch);
        x[r] = COMBINE(CHOSEN(later, other, own), CHOSEN(later, own, other));
      }
    } else {
      const ACC other = lane_value(x[0], partner, scratch);
      x[0] = COMBINE(CHOSEN(later, other, x[0]), CHOSEN(later, x[0], other));
    }
  }
  return x[0];
}

// The total of the strip from `begin` on, whose stage has `skew` bytes before its first element;
// elements from n on are skipped. Known to every lane.
DEVICE ACC total_strip(const uint4* stage, u32 skew, u32 strip, u64 begin, u64 n,
                       LaneScratch* scratch) {
  Run run[STRIP_ROWS];
  ACC row[STRIP_ROWS];
  read_runs(stage, skew, strip, run);
  total_runs(run, begin, n, row);
  const ACC sum = total_rows(row, scratch);
  ACC total = lane_value(sum, 0, scratch);
#pragma unroll
  for (u32 r = 1; r < STRIP_ROWS; ++r) total = COMBINE(total, lane_value(sum, r, scratch));
  return total;
}

// Part ring_strips_spans:
// spans of a strip in a stage of a ring, of elements that are as long as a unit of copies.
// Where every association has the same bits, a lane has consecutive elements, so that lanes
// exchange once for a strip and not for every row. Their number is odd: so lanes that read at once
// meet in no bank of local memory.
// Provides: ring_strips
// Uses: order_lanes, order_strip, ring_items

#define SPAN STRIP_ROWS  // Elements of a lane.
typedef char spans_begin_in_other_banks[SPAN % 2 == 1 ? 1 : -1];
typedef char elements_are_units[RUN == 1 && sizeof(IN) == UNIT_BYTES ? 1 : -1];

// Index in its strip of this lane's first element.
DEVICE u32 span_index() { return lane_index() * SPAN; }

// Reads this lane's elements of the strip from `begin` on and folds them: sums[k] is that of the
// first one to number k. Elements from n on are skipped.
DEVICE void fold_span(const uint4* stage, u32 strip, u64 begin, u64 n, ACC sums[SPAN]) {
  const uint4* own = stage + strip * STRIP + span_index();
  const u64 first = begin + span_index();
  if (begin + STRIP <= n) {
    sums[0] = lift_element(item_of(run_of(own[0]), 0), first);
#pragma unroll
    for (u32 k = 1; k < SPAN; ++k) {
      sums[k] = COMBINE(sums[k - 1], lift_element(item_of(run_of(own[k]), 0), first + k));
    }
    return;
  }
  ACC running = IDENTITY;
#pragma unroll
  for (u32 k = 0; k < SPAN; ++k) {
    if (first + k < n) {
      running = COMBINE(running, lift_element(item_of(run_of(own[k]), 0), first + k));
    }
    sums[k] = running;
  }
}

// The total of a strip, as of rows; known to every lane.
DEVICE ACC total_strip(const uint4* stage, u32 skew, u32 strip, u64 begin, u64 n,
                       LaneScratch* scratch) {
  ACC sums[SPAN];
  fold_span(stage, strip, begin, n, sums);
  return lane_value(lane_prefix(sums[SPAN - 1], scratch), LANES - 1, scratch);
}
