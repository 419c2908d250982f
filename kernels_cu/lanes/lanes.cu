// Part lanes_shuffle: exchange between the work-items of a warp, by shuffles.
// A lane group is LANES consecutive work-items; every word is called by all of them together.
// Provides: lanes
// Uses: words

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

// Part shuffles: scan and reduction over the lanes of a group, by the shuffles.
// Provides: lane_folds
// Uses: lanes

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, LaneScratch* scratch, ACC* total) {
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
DEVICE ACC lane_reduce(ACC x, LaneScratch* scratch) {
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return shuffle_idx(x, 0);
}
