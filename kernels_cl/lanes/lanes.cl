// Part lanes_ptx:
// exchange between the work-items of a warp on NVIDIA devices, by shuffles in inline PTX.
// A lane group is LANES consecutive work-items; every word is called by all of them together.
// Provides: lanes
// Uses: words

#define LANES 32
#define LANE_GROUPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole lane groups"
#endif

// What the exchange needs in local memory: nothing.
typedef struct {
  char unused;
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0) % LANES; }
DEVICE u32 lane_group(void) { return (u32)get_local_id(0) / LANES; }

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) {
  u32 to;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(to) : "r"(word), "r"(lane));
  return to;
}

// The shuffles of a value, word by word: the words of one do not wait for each other. `mode` is up,
// down or idx; `bound` is the clamp that PTX wants for it.
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
SHUFFLE(up, 0)
SHUFFLE(down, 31)
SHUFFLE(idx, 31)

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

// What any lane wrote to local memory before is seen by every lane behind it.
DEVICE void lane_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" : : : "memory"); }

// Part lanes_subgroup: exchange between the work-items of a sub-group, by its shuffles.
// A lane group is LANES consecutive work-items; every word is called by all of them together.
// Provides: lanes
// Uses: words

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

#define LANE_GROUPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole lane groups"
#endif

// The device offers several sub-group sizes: whoever requires a group size of a kernel below gets
// the sub-group size with it.
#define reqd_work_group_size(x, y, z) \
  reqd_work_group_size(x, y, z), intel_reqd_sub_group_size(LANES)

// What the exchange needs in local memory: nothing.
typedef struct {
  char unused;
} LaneScratch;

DEVICE u32 lane_index(void) { return get_sub_group_local_id(); }
DEVICE u32 lane_group(void) { return get_sub_group_id(); }

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) { return sub_group_shuffle(word, lane); }

// The value of another lane, word by word: the words of one do not wait for each other.
DEVICE ACC shuffle_idx(ACC x, u32 lane) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) words.word[w] = sub_group_shuffle(words.word[w], lane);
  return words.value;
}

// Lanes without such a neighbour get the value at the edge: an operator sees no undefined one.
DEVICE ACC shuffle_up(ACC x, u32 distance) {
  return shuffle_idx(x, lane_index() < distance ? 0 : lane_index() - distance);
}
DEVICE ACC shuffle_down(ACC x, u32 distance) {
  return shuffle_idx(x, min(lane_index() + distance, LANES - 1u));
}

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, __local LaneScratch* scratch) {
  return sub_group_reduce_max(flag ? (i32)lane_index() : -1);
}

// What any lane wrote to local memory before is seen by every lane behind it.
DEVICE void lane_barrier(void) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }

// Part lanes_local:
// exchange between the work-items of a group through local memory, for devices without a
// register path: the whole group is one lane group.
// A lane group is LANES consecutive work-items; every word is called by all of them together.
// Provides: lanes, lane_folds

#define LANES GROUP_SIZE
#define LANE_GROUPS 1

// What the exchange needs in local memory.
typedef struct {
  ACC value[LANES];
  i32 highest;
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0); }
DEVICE u32 lane_group(void) { return 0; }

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

// What any lane wrote to local memory before is seen by every lane behind it.
DEVICE void lane_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE); }

// Part shuffles: scan and reduction over the lanes of a group, by the shuffles.
// Provides: lane_folds
// Uses: lanes

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
