// Prelude: the look-back of a single-pass scan in order v1 by one work-item, for devices without
// lane groups as wide as a row: order_lookback_shuffle without lanes.

// What the work-items tell each other.
typedef struct {
  u32 epoch;  // Of the call; the first work-item drew it.
  ACC before;
  ACC after;
} LookBack;

// Finds what lies before the tile and, from the tile's total, what lies before the next one. The
// last tile of a group publishes the latter for the groups behind. Called by all work-items.
DEVICE void look_back(const Draw* draw, const __global u64* words, __global u64* group_words,
                      ACC total, Elements input, ACC init, __local LookBack* told, ACC* before,
                      ACC* after, __local LaneScratch* scratch) {
  if (get_local_id(0) == 0) {
    const u32 epoch = told->epoch;
    const u64 group = draw->predecessors / GROUP_TILES;
    const u32 place = (u32)(draw->predecessors % GROUP_TILES);
    const ACC groups = await_groups(words, group_words, group, epoch, input, init);
    ACC totals[GROUP_TILES];
    for (u32 t = 0; t < place; ++t) {
      totals[t] = await_total(words, group * GROUP_TILES + t, epoch, input);
    }
    totals[place] = total;
    prefix_totals(totals, place + 1);

    told->before = place == 0 ? groups : COMBINE(groups, totals[place - 1]);
    told->after = COMBINE(groups, totals[place]);
    if (draw->valid && publishes_prefix(group, place)) {
      publish(group_words, group + 1, epoch, STATE_INCLUSIVE, told->after);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  *before = told->before;
  *after = told->after;
}
