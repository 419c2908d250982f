// Part lane_ranks_shuffle: how many lanes of a warp have a flag, by a vote.
// Provides: lane_ranks
// Uses: lanes, lane_index

// The number of lanes before this one whose flag is set; that of all lanes goes to all.
DEVICE u32 lane_rank(bool flag, LaneScratch* scratch, u32* all) {
  const u32 lanes = __ballot_sync(0xffffffffu, flag);
  *all = (u32)__popc(lanes);
  return (u32)__popc(lanes & ((1u << lane_index()) - 1u));
}
