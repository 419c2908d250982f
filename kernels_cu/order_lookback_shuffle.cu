// Prelude: the look-back of a single-pass scan in order v1 by the lanes of a row: a lane reads a
// tile of a group, or the prefix of a group.

#ifndef GROUPS_AHEAD
#define GROUPS_AHEAD 4  // Groups whose words are loaded before it is known that they are needed.
#endif

// Everything before `group`, the same for every lane: from the nearest prefix that is published on,
// the totals of the groups between are folded from left to right. The first group's is `init`.
DEVICE ACC group_prefix(const u64* words, const u64* group_words, u64 group, u32 epoch,
                        Elements input, ACC init, LaneScratch* scratch) {
  // The nearest groups' words are on their way while a prefix is looked for.
  const i64 nearest_first = (i64)group - GROUPS_AHEAD;
  ACC total[GROUPS_AHEAD];
  u32 state[GROUPS_AHEAD];
#pragma unroll
  for (u32 g = 0; g < GROUPS_AHEAD; ++g) {
    total[g] = IDENTITY;
    state[g] = STATE_EMPTY;
    if (nearest_first + g >= 0) {
      const u64 tile = (u64)(nearest_first + g) * GROUP_TILES + lane_index();
      state[g] = inspect(words, tile, epoch, &total[g]);
    }
  }
  ACC prefix = init;
  i64 known = -1;
  for (i64 top = (i64)group; known < 0; top -= LANES) {
    const i64 mine = top - (LANES - 1) + lane_index();
    ACC value = init;
    bool found = mine <= 0;
    if (!found) found = inspect(group_words, (u64)mine, epoch, &value) != STATE_EMPTY;
    const i32 highest = lane_highest(found, scratch);
    prefix = lane_value(value, highest < 0 ? 0 : (u32)highest, scratch);
    if (highest >= 0) known = top - (LANES - 1) + highest;
  }
  for (i64 next = known; next < nearest_first; ++next) {
    const u64 tile = (u64)next * GROUP_TILES + lane_index();
    const ACC sum = lane_prefix(await_total(words, tile, epoch, input), scratch);
    prefix = COMBINE(prefix, lane_value(sum, LANES - 1, scratch));
  }
#pragma unroll
  for (u32 g = 0; g < GROUPS_AHEAD; ++g) {
    if (nearest_first + g >= known) {
      if (state[g] == STATE_EMPTY) {
        const u64 tile = (u64)(nearest_first + g) * GROUP_TILES + lane_index();
        total[g] = await_total(words, tile, epoch, input);
      }
      const ACC sum = lane_prefix(total[g], scratch);
      prefix = COMBINE(prefix, lane_value(sum, LANES - 1, scratch));
    }
  }
  return prefix;
}

// Finds what lies before the tile and, from the tile's total, what lies before the next one. The
// last tile of a group publishes the latter for the groups behind. Called by all work-items; seen
// by all behind a barrier.
DEVICE void look_back(const Draw* draw, u32 epoch, u64* words, u64* group_words, ACC total,
                      Elements input, ACC init, ACC* before, ACC* after, LaneScratch* scratch) {
  if (lane_group() != 0) return;
  const u64 group = draw->predecessors / GROUP_TILES;
  const u32 place = (u32)(draw->predecessors % GROUP_TILES);

  // The words of the own group are on their way while the prefix of the group is found.
  const u64 mine = group * GROUP_TILES + lane_index();
  ACC value = lane_index() == place ? total : IDENTITY;
  u32 state = STATE_AGGREGATE;
  if (lane_index() < place) state = inspect(words, mine, epoch, &value);
  const ACC groups = group_prefix(words, group_words, group, epoch, input, init, scratch);
  if (state == STATE_EMPTY) value = await_total(words, mine, epoch, input);

  const ACC prefix = lane_prefix(value, scratch);
  const ACC earlier = lane_value(prefix, place == 0 ? 0 : place - 1, scratch);
  const ACC next = COMBINE(groups, lane_value(prefix, place, scratch));
  if (lane_index() == 0) {
    if (draw->valid && publishes_prefix(group, place)) {
      publish(group_words, group + 1, epoch, STATE_INCLUSIVE, next);
    }
    *before = place == 0 ? groups : COMBINE(groups, earlier);
    *after = next;
  }
}
