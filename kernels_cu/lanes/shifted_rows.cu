// Part shifted_rows_shuffle:
// rows of a strip where packs do not lie as lanes hold them, by shuffles: a pack is then
// the last elements of a lane's run and the first of the next lane's. Values are chosen behind the
// shuffles: chosen before, they are compiled into more registers than the rest of a scan takes.
// Provides: shifted_rows
// Uses: lanes

#define SHIFTS_ROWS (RUN == VEC && RUN > 1)

DEVICE ACC next_lane(ACC x) { return shuffle_idx(x, (lane_index() + 1) % LANES); }
DEVICE ACC previous_lane(ACC x) { return shuffle_idx(x, (lane_index() + LANES - 1) % LANES); }

// Makes of packs that begin `by` elements before each run, as loaded, the runs: the first `by`
// elements of each lane go to the lane before, and of the first lane to the last one in the row
// before. What the first lane hands on in the first row are the last elements of the strip.
DEVICE void packs_to_runs(ACC* item, u32 by) {
#pragma unroll
  for (u32 step = 1; step < RUN; step *= 2) {
    if ((by & step) == 0) continue;
    ACC first[RUN];
    ACC handed[RUN];
#pragma unroll
    for (u32 k = 0; k < step; ++k) {
      first[k] = next_lane(item[k]);
      handed[k] = first[k];
    }
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      ACC* run = item + r * RUN;
#pragma unroll
      for (u32 k = 0; k + step < RUN; ++k) run[k] = run[k + step];
#pragma unroll
      for (u32 k = 0; k < step; ++k) {
        const ACC behind = r + 1 < STRIP_ROWS ? next_lane(run[RUN + k]) : first[k];
        run[RUN - step + k] = lane_index() == LANES - 1 ? behind : handed[k];
        handed[k] = behind;
      }
    }
  }
}

// The other way round, before storing.
DEVICE void runs_to_packs(ACC* item, u32 by) {
#pragma unroll
  for (u32 step = 1; step < RUN; step *= 2) {
    if ((by & step) == 0) continue;
    ACC last[RUN];
    ACC handed[RUN];
#pragma unroll
    for (u32 k = 0; k < step; ++k) {
      last[k] = previous_lane(item[STRIP_ROWS * RUN - step + k]);
      handed[k] = last[k];
    }
#pragma unroll
    for (u32 s = 0; s < STRIP_ROWS; ++s) {
      const u32 r = STRIP_ROWS - 1 - s;
      ACC* run = item + r * RUN;
#pragma unroll
      for (u32 k = RUN - 1; k >= step; --k) run[k] = run[k - step];
#pragma unroll
      for (u32 k = 0; k < step; ++k) {
        const ACC before = r > 0 ? previous_lane(item[r * RUN - step + k]) : last[k];
        run[k] = lane_index() == 0 ? before : handed[k];
        handed[k] = before;
      }
    }
  }
}
