// Prelude: spans of a strip in a stage of a ring, of elements that are as long as a unit of copies.
// Where every association has the same bits, a lane has consecutive elements, so that lanes
// exchange once for a strip and not for every row. Their number is odd: so lanes that read at once
// meet in no bank of local memory.

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
