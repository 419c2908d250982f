// Prelude: rows of a strip where packs do not lie as lanes hold them, by shuffles: a pack is then
// the last elements of a lane's run and the first of the next lane's.

#define SHIFTS_ROWS (RUN == VEC && RUN > 1)

// The value of the next lane in a row; of the last lane, the first lane's in the row behind.
DEVICE ACC next_value(ACC x, ACC behind) {
  return shuffle_idx(lane_index() == 0 ? behind : x, (lane_index() + 1) % LANES);
}

// Gives each lane its runs of a whole strip that ends before element `end`, where it has loaded
// what begins `early` elements before them: at least one, and fewer than a run has. `behind` are
// the last ones of the strip, as many, which the last lane has loaded.
DEVICE void shift_runs(__private ACC* item, const __private Element* behind, u64 end, u32 early) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    ACC joined[2 * RUN];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      joined[k] = item[r * RUN + k];
      const u32 later = r + 1 < STRIP_ROWS ? r + 1 : r;
      joined[RUN + k] = next_value(item[r * RUN + k], item[later * RUN + k]);
      if (r + 1 == STRIP_ROWS && lane_index() == LANES - 1 && k < early) {
        joined[RUN + k] = lift_element(behind[k], end - early + k);
      }
    }
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      ACC shifted = joined[k + 1];
      if (early == 2) shifted = joined[(k + 2) % (2 * RUN)];
      if (early == 3) shifted = joined[(k + 3) % (2 * RUN)];
      item[r * RUN + k] = shifted;
    }
  }
}

// Writes a whole strip, of which this lane's first element goes to `own`: `lead` elements of each
// run, at least one and not all, lie before where a pack begins.
DEVICE void store_shifted_rows(__global OUT* own, u32 lead, const __private ACC* value) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u32 behind = r + 1 < STRIP_ROWS ? r + 1 : r;
    ACC joined[2 * RUN];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      joined[k] = value[r * RUN + k];
      joined[RUN + k] = next_value(value[r * RUN + k], value[behind * RUN + k]);
    }
    OUT_PACK pack;
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      ACC shifted = joined[k + 1];
      if (lead == 2) shifted = joined[(k + 2) % (2 * RUN)];
      if (lead == 3) shifted = joined[(k + 3) % (2 * RUN)];
      pack.item[k % VEC] = TO_OUT(shifted);
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
