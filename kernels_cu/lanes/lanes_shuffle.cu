// Prelude: exchange between the work-items of a warp, by shuffles.
// A lane group is LANES consecutive work-items; every word is called by all of them together.

#define LANES 32
#define LANE_GROUPS (GROUP_SIZE / LANES)
static_assert(GROUP_SIZE % LANES == 0, "a group is made of whole lane groups");

// What the exchange needs in local memory: nothing.
struct LaneScratch {};

DEVICE u32 lane_index() { return threadIdx.x % LANES; }
DEVICE u32 lane_group() { return threadIdx.x / LANES; }

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) { return __shfl_sync(0xffffffffu, word, lane); }

// The shuffles of a value, word by word: the words of one do not wait for each other.
DEVICE ACC shuffle_up(ACC x, u32 distance) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_up_sync(0xffffffffu, words.word[w], distance);
  }
  return words.value;
}
DEVICE ACC shuffle_down(ACC x, u32 distance) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_down_sync(0xffffffffu, words.word[w], distance);
  }
  return words.value;
}
DEVICE ACC shuffle_idx(ACC x, u32 lane) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_sync(0xffffffffu, words.word[w], lane);
  }
  return words.value;
}

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, LaneScratch* scratch) {
  return 31 - __clz((i32)__ballot_sync(0xffffffffu, flag));
}

// What any lane wrote to local memory before is seen by every lane behind it.
DEVICE void lane_barrier() { __syncwarp(0xffffffffu); }
