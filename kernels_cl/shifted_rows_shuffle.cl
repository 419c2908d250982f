// Prelude: rows of a strip where packs do not lie as lanes hold them, by shuffles: a pack is then
// the last elements of a lane's run and the first of the next lane's.

#define SHIFTS_ROWS (RUN == VEC && RUN > 1)

// The value of the next lane in a row; of the last lane, the first lane's in the row behind.
DEVICE ACC next_value(ACC x, ACC behind) {
  return shuffle_idx(lane_index() == 0 ? behind : x, (lane_index() + 1) % LANES);
}

// The run of this lane in row `r`, and behind it that of the next lane; of the last row's last
// lane, nothing that counts.
DEVICE void join_runs(const __private ACC* value, u32 r, __private ACC* joined) {
  const u32 behind = r + 1 < STRIP_ROWS ? r + 1 : r;
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    joined[k] = value[r * RUN + k];
    joined[RUN + k] = next_value(value[r * RUN + k], value[behind * RUN + k]);
  }
}

// Element k of the run that begins `by` elements, 1 to 3 of them, into two joined ones.
DEVICE ACC shifted_element(const __private ACC* joined, u32 k, u32 by) {
  ACC shifted = joined[k + 1];
  if (by == 2) shifted = joined[(k + 2) % (2 * RUN)];
  if (by == 3) shifted = joined[(k + 3) % (2 * RUN)];
  return shifted;
}

// Gives each lane its runs of a whole strip that ends before element `end`, where it has loaded
// what begins `early` elements before them: at least one, and fewer than a run has. `behind` are
// the last ones of the strip, as many, which the last lane has loaded.
DEVICE void shift_runs(__private ACC* item, const __private Element* behind, u64 end, u32 early) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    ACC joined[2 * RUN];
    join_runs(item, r, joined);
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (r + 1 == STRIP_ROWS && lane_index() == LANES - 1 && k < early) {
        joined[RUN + k] = lift_element(behind[k], end - early + k);
      }
    }
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) item[r * RUN + k] = shifted_element(joined, k, early);
  }
}

// Writes a whole strip, of which this lane's first element goes to `own`: `lead` elements of each
// run, at least one and not all, lie before where a pack begins.
DEVICE void store_shifted_rows(__global OUT* own, u32 lead, const __private ACC* value) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    ACC joined[2 * RUN];
    join_runs(value, r, joined);
    OUT_PACK pack;
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      pack.item[k % VEC] = TO_OUT(shifted_element(joined, k, lead));
    }
    if (r + 1 < STRIP_ROWS || lane_index() < LANES - 1) {
      store_pack(own + r * LANES * RUN + lead, pack);
    } else {
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        if (k >= lead) own[r * LANES * RUN + k] = TO_OUT(joined[k]);
      }
    }
  }
  if (lane_index() == 0) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (k < lead) own[k] = TO_OUT(value[k]);
    }
  }
}
