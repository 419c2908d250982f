// Prelude: the nearest group of tiles whose prefix is published, by the lanes of a row.

// The prefix of the nearest group up to `group` that is published, where it lies behind group
// *known, whose prefix is *prefix.
DEVICE void skip_groups(const __global u64* group_words, u64 group, u32 epoch, u64* known,
                        ACC* prefix, __local LaneScratch* scratch) {
  for (u64 top = group; top > *known; top = top > LANES ? top - LANES : 0) {
    const i64 mine = (i64)top - (LANES - 1) + lane_index();
    ACC value = *prefix;
    bool found = mine <= (i64)*known;
    if (!found) found = inspect(group_words, (u64)mine, epoch, &value) != STATE_EMPTY;
    const i32 highest = lane_highest(found, scratch);
    if (highest >= 0) {
      const i64 nearest = (i64)top - (LANES - 1) + highest;
      if (nearest > (i64)*known) {
        *prefix = lane_value(value, (u32)highest, scratch);
        *known = (u64)nearest;
      }
      top = 0;
    }
  }
}
