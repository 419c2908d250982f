// Part lane_ranks_shuffle: how many lanes of a warp have a flag, by a vote.
// Provides: lane_ranks
// Uses: lanes, lane_index

// The number of lanes before this one whose flag is set; that of all lanes goes to all.
DEVICE u32 lane_rank(bool flag, LaneScratch* scratch, u32* all) {
  const u32 lanes = __ballot_sync(0xffffffffu, flag);
  *all = (u32)__popc(lanes);
  return (u32)__popc(lanes & ((1u << lane_index()) - 1u));
}

// Part lane_counts_shuffle: bits of a word, flags and sums over the lanes of a warp. From sm_80 on.
// Provides: lane_counts

DEVICE u32 count_bits(u32 word) { return (u32)__popc(word); }

// The lanes whose flag is set, a bit for each.
DEVICE u32 lane_flags(bool flag) { return __ballot_sync(0xffffffffu, flag); }

// The sum of a word over all lanes, known to every lane.
DEVICE u32 lane_sum(u32 word) { return __reduce_add_sync(0xffffffffu, word); }
