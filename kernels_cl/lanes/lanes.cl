// Part lanes_ptx: exchange between the lanes of a warp on NVIDIA devices, by inline PTX. A warp is
// LANES consecutive work-items. All lanes of a warp call these functions together.
// Provides: lanes
// Uses: words

#define LANES 32
#define WARPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole warps"
#endif

// The local memory that the exchange needs: none.
typedef struct {
  char unused;
} LaneScratch;

// Part lane_index_ptx: the index of a work-item in its warp.
// Provides: lane_index
// Uses: lanes

DEVICE u32 lane_index(void) { return (u32)get_local_id(0) % LANES; }

// Part warp_index_ptx: the index of a warp in its group.
// Provides: warp_index
// Uses: lanes

DEVICE u32 warp_index(void) { return (u32)get_local_id(0) / LANES; }

// Part shuffle_word_ptx: a word of another lane.
// Provides: shuffle_word

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) {
  u32 to;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(to) : "r"(word), "r"(lane));
  return to;
}

// Part shuffles_ptx: shuffles of a value in inline PTX, as a macro.
// Provides: shuffles_ptx
// Uses: words

// The shuffles of a value, word by word, so that its words do not wait for each other. `mode` is
// up, down or idx; `bound` is the clamp that PTX needs for it.
#define SHUFFLE(mode, bound)                                                     \
  DEVICE ACC shuffle_##mode(ACC x, u32 by) {                                     \
    AccWords words = words_of(x);                                                \
    for (u32 w = 0; w < ACC_WORDS; ++w) {                                        \
      u32 to;                                                                    \
      asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, " #bound ", 0xffffffff;" \
                   : "=r"(to)                                                    \
                   : "r"(words.word[w]), "r"(by));                               \
      words.word[w] = to;                                                        \
    }                                                                            \
    return words.value;                                                          \
  }

// Part shuffle_idx_ptx: the value of lane `lane`.
// Provides: shuffle_idx
// Uses: shuffles_ptx

SHUFFLE(idx, 31)

// Part shuffle_up_ptx: the value of the lane that lies `distance` before.
// Provides: shuffle_up
// Uses: shuffles_ptx

SHUFFLE(up, 0)

// Part shuffle_down_ptx: the value of the lane that lies `distance` behind.
// Provides: shuffle_down
// Uses: shuffles_ptx

SHUFFLE(down, 31)

// Part lane_highest_ptx: the highest lane whose flag is set.
// Provides: lane_highest
// Uses: lanes

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, __local LaneScratch* scratch) {
  u32 lanes;
  asm volatile(
      "{\n\t.reg .pred flag;\n\tsetp.ne.u32 flag, %1, 0;\n\t"
      "vote.sync.ballot.b32 %0, flag, 0xffffffff;\n\t}"
      : "=r"(lanes)
      : "r"((u32)flag));
  return 31 - (i32)clz(lanes);
}

// Part lane_barrier_ptx: a barrier of the lanes of a warp.
// Provides: lane_barrier

// What a lane wrote to local memory before the barrier is visible to every lane behind it.
DEVICE void lane_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" : : : "memory"); }

// Part lanes_subgroup: exchange between the lanes of a sub-group, which is called a warp here. A
// warp is LANES consecutive work-items. All lanes of a warp call these functions together.
// Provides: lanes
// Uses: words

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

#define WARPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole warps"
#endif

// The device offers several sub-group sizes. A kernel below that requires a group size gets the
// sub-group size with it.
#define reqd_work_group_size(x, y, z) \
  reqd_work_group_size(x, y, z), intel_reqd_sub_group_size(LANES)

// The local memory that the exchange needs: none.
typedef struct {
  char unused;
} LaneScratch;

// Part lane_index_subgroup: the index of a work-item in its warp.
// Provides: lane_index
// Uses: lanes

DEVICE u32 lane_index(void) { return get_sub_group_local_id(); }

// Part warp_index_subgroup: the index of a warp in its group.
// Provides: warp_index
// Uses: lanes

DEVICE u32 warp_index(void) { return get_sub_group_id(); }

// Part shuffle_word_subgroup: a word of another lane.
// Provides: shuffle_word
// Uses: lanes

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) { return sub_group_shuffle(word, lane); }

// Part shuffle_idx_subgroup: the value of lane `lane`.
// Provides: shuffle_idx
// Uses: lanes

// The value of another lane, word by word, so that its words do not wait for each other.
DEVICE ACC shuffle_idx(ACC x, u32 lane) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) words.word[w] = sub_group_shuffle(words.word[w], lane);
  return words.value;
}

// Part shuffle_up_subgroup: the value of the lane that lies `distance` before.
// Provides: shuffle_up
// Uses: lanes, lane_index, shuffle_idx

// A lane without such a neighbour gets the value at the edge, so no operator sees an undefined
// value.
DEVICE ACC shuffle_up(ACC x, u32 distance) {
  return shuffle_idx(x, lane_index() < distance ? 0 : lane_index() - distance);
}

// Part shuffle_down_subgroup: the value of the lane that lies `distance` behind.
// Provides: shuffle_down
// Uses: lanes, lane_index, shuffle_idx

DEVICE ACC shuffle_down(ACC x, u32 distance) {
  return shuffle_idx(x, min(lane_index() + distance, LANES - 1u));
}

// Part lane_highest_subgroup: the highest lane whose flag is set.
// Provides: lane_highest
// Uses: lanes, lane_index

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, __local LaneScratch* scratch) {
  return sub_group_reduce_max(flag ? (i32)lane_index() : -1);
}

// Part lane_barrier_subgroup: a barrier of the lanes of a warp.
// Provides: lane_barrier
// Uses: lanes

// What a lane wrote to local memory before the barrier is visible to every lane behind it.
DEVICE void lane_barrier(void) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }

// Part lanes_local: exchange through local memory, for devices without shuffles. The whole group is
// one warp of LANES work-items. All of them call these functions together.
// Provides: lanes, lane_folds
// Uses: lane_index

#define LANES GROUP_SIZE
#define WARPS 1

// The local memory that the exchange needs.
typedef struct {
  ACC value[LANES];
  i32 highest;
} LaneScratch;

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, __local LaneScratch* scratch, ACC* total) {
  const u32 lane = lane_index();
  scratch->value[lane] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = lane >= distance ? scratch->value[lane - distance] : IDENTITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= distance) scratch->value[lane] = COMBINE(earlier, scratch->value[lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *total = scratch->value[LANES - 1];
  const ACC before = lane == 0 ? IDENTITY : scratch->value[lane - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return before;
}

// The combination of x over all lanes in index order, known to every lane.
DEVICE ACC lane_reduce(ACC x, __local LaneScratch* scratch) {
  const u32 lane = lane_index();
  scratch->value[lane] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    if (lane % (2 * distance) == 0 && lane + distance < LANES) {
      scratch->value[lane] = COMBINE(scratch->value[lane], scratch->value[lane + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const ACC total = scratch->value[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}

// Part lane_index_local: the index of a work-item in its warp.
// Provides: lane_index

DEVICE u32 lane_index(void) { return (u32)get_local_id(0); }

// Part warp_index_local: the index of a warp in its group.
// Provides: warp_index

DEVICE u32 warp_index(void) { return 0; }

// Part lane_highest_local: the highest lane whose flag is set.
// Provides: lane_highest
// Uses: lanes, lane_index

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, __local LaneScratch* scratch) {
  if (lane_index() == 0) scratch->highest = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (flag) atomic_max(&scratch->highest, (i32)lane_index());
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 highest = scratch->highest;
  barrier(CLK_LOCAL_MEM_FENCE);
  return highest;
}

// Part lane_barrier_local: a barrier of the lanes of a warp.
// Provides: lane_barrier

// What a lane wrote to local memory before the barrier is visible to every lane behind it.
DEVICE void lane_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE); }

// Part shuffles: scan and reduction over the lanes of a warp, by shuffles.
// Provides: lane_folds
// Uses: lanes, lane_index, shuffle_up, shuffle_down, shuffle_idx

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, __local LaneScratch* scratch, ACC* total) {
  ACC inclusive = x;
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(inclusive, distance);
    if (lane_index() >= distance) inclusive = COMBINE(earlier, inclusive);
  }
  *total = shuffle_idx(inclusive, LANES - 1);
  const ACC before = shuffle_up(inclusive, 1);
  return lane_index() == 0 ? IDENTITY : before;
}

// The combination of x over all lanes in index order, known to every lane.
DEVICE ACC lane_reduce(ACC x, __local LaneScratch* scratch) {
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return shuffle_idx(x, 0);
}
