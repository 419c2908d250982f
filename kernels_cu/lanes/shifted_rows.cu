// Part shifted_rows_shuffle: rows of a warp tile where the array is misaligned, by shuffles. A
// vector in memory has the last elements of one lane's run and the first ones of the next lane's.
// Values are chosen after the shuffles: chosen before, they take more registers than the rest of a
// scan.
// Provides: shifted_rows

#define SHIFTS_ROWS (RUN == VEC && RUN > 1)

// Part shifted_loads_shuffle: vectors that were loaded become runs.
// Provides: shifted_loads
// Uses: lane_index, shuffle_idx

DEVICE ACC next_lane(ACC x) { return shuffle_idx(x, (lane_index() + 1) % LANES); }

// Turns loaded vectors, which begin `misaligned` elements before the runs, into runs. The first
// `misaligned` elements of each lane go to the lane before; those of the first lane go to the last
// lane of the row before. In the first row, the first lane's are the last elements of the warp
// tile.
DEVICE void vectors_to_runs(ACC* item, u32 misaligned) {
#pragma unroll
  for (u32 step = 1; step < RUN; step *= 2) {
    if ((misaligned & step) == 0) continue;
    ACC first[RUN];
    ACC handed[RUN];
#pragma unroll
    for (u32 k = 0; k < step; ++k) {
      first[k] = next_lane(item[k]);
      handed[k] = first[k];
    }
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      ACC* run = item + r * RUN;
#pragma unroll
      for (u32 k = 0; k + step < RUN; ++k) run[k] = run[k + step];
#pragma unroll
      for (u32 k = 0; k < step; ++k) {
        const ACC behind = r + 1 < WARP_TILE_ROWS ? next_lane(run[RUN + k]) : first[k];
        run[RUN - step + k] = lane_index() == LANES - 1 ? behind : handed[k];
        handed[k] = behind;
      }
    }
  }
}

// Part shifted_stores_shuffle: runs become vectors to be stored.
// Provides: shifted_stores
// Uses: lane_index, shuffle_idx

DEVICE ACC previous_lane(ACC x) { return shuffle_idx(x, (lane_index() + LANES - 1) % LANES); }

// The reverse, before storing.
DEVICE void runs_to_vectors(ACC* item, u32 misaligned) {
#pragma unroll
  for (u32 step = 1; step < RUN; step *= 2) {
    if ((misaligned & step) == 0) continue;
    ACC last[RUN];
    ACC handed[RUN];
#pragma unroll
    for (u32 k = 0; k < step; ++k) {
      last[k] = previous_lane(item[WARP_TILE_ROWS * RUN - step + k]);
      handed[k] = last[k];
    }
#pragma unroll
    for (u32 s = 0; s < WARP_TILE_ROWS; ++s) {
      const u32 r = WARP_TILE_ROWS - 1 - s;
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
