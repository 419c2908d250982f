// Prelude: exchange between the work-items of a sub-group, by its shuffles.
// A lane group is LANES consecutive work-items; every word is called by all of them together.

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
