// Part lane_ranks_ptx: how many lanes of a warp have a flag, by a vote in inline PTX.
// Provides: lane_ranks
// Uses: lanes, lane_index

// The number of lanes before this one whose flag is set; that of all lanes goes to all.
DEVICE u32 lane_rank(bool flag, __local LaneScratch* scratch, u32* all) {
  u32 lanes;
  asm volatile(
      "{\n\t.reg .pred flag;\n\tsetp.ne.u32 flag, %1, 0;\n\t"
      "vote.sync.ballot.b32 %0, flag, 0xffffffff;\n\t}"
      : "=r"(lanes)
      : "r"((u32)flag));
  *all = popcount(lanes);
  return popcount(lanes & ((1u << lane_index()) - 1u));
}

// Part lane_ranks_subgroup: how many lanes of a sub-group have a flag.
// Provides: lane_ranks
// Uses: lanes

// The number of lanes before this one whose flag is set; that of all lanes goes to all.
DEVICE u32 lane_rank(bool flag, __local LaneScratch* scratch, u32* all) {
  *all = sub_group_reduce_add((u32)flag);
  return sub_group_scan_exclusive_add((u32)flag);
}

// Part lane_ranks_local: how many lanes have a flag, through local memory.
// Provides: lane_ranks
// Uses: lanes, lane_folds

// The number of lanes before this one whose flag is set; that of all lanes goes to all.
DEVICE u32 lane_rank(bool flag, __local LaneScratch* scratch, u32* all) {
  ACC total;
  const u32 before = (u32)lane_scan((ACC)flag, scratch, &total);
  *all = (u32)total;
  return before;
}

// Part lane_counts_ptx: bits of a word, flags and sums over the lanes of a warp. From sm_80 on.
// Provides: lane_counts

DEVICE u32 count_bits(u32 word) { return popcount(word); }

// The lanes whose flag is set, a bit for each.
DEVICE u32 lane_flags(bool flag) {
  u32 lanes;
  asm volatile(
      "{\n\t.reg .pred flag;\n\tsetp.ne.u32 flag, %1, 0;\n\t"
      "vote.sync.ballot.b32 %0, flag, 0xffffffff;\n\t}"
      : "=r"(lanes)
      : "r"((u32)flag));
  return lanes;
}

// The sum of a word over all lanes, known to every lane.
DEVICE u32 lane_sum(u32 word) {
  u32 sum;
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(word));
  return sum;
}
