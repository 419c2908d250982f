// Part lanes_shuffle: exchange between the lanes of a warp. A warp is LANES consecutive work-items.
// All lanes of a warp call these functions together.
// Provides: lanes
// Uses: words

#define LANES 32
#define WARPS (GROUP_SIZE / LANES)
static_assert(GROUP_SIZE % LANES == 0, "a group is made of whole warps");

// The local memory that the exchange needs: none.
struct LaneScratch {};

// Part lane_index_shuffle: the index of a work-item in its warp.
// Provides: lane_index
// Uses: lanes

DEVICE u32 lane_index() { return threadIdx.x % LANES; }

// Part warp_index_shuffle: the index of a warp in its group.
// Provides: warp_index
// Uses: lanes

DEVICE u32 warp_index() { return threadIdx.x / LANES; }

// Part shuffle_word_shuffle: a word of another lane.
// Provides: shuffle_word

// The word of lane `lane`.
DEVICE u32 shuffle_word(u32 word, u32 lane) { return __shfl_sync(0xffffffffu, word, lane); }

// Part shuffle_idx_shuffle: the value of lane `lane`.
// Provides: shuffle_idx
// Uses: words

DEVICE ACC shuffle_idx(ACC x, u32 lane) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_sync(0xffffffffu, words.word[w], lane);
  }
  return words.value;
}

// Part shuffle_up_shuffle: the value of the lane that lies `distance` before.
// Provides: shuffle_up
// Uses: words

// The shuffles of a value, word by word, so that its words do not wait for each other.
DEVICE ACC shuffle_up(ACC x, u32 distance) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_up_sync(0xffffffffu, words.word[w], distance);
  }
  return words.value;
}

// Part shuffle_down_shuffle: the value of the lane that lies `distance` behind.
// Provides: shuffle_down
// Uses: words

DEVICE ACC shuffle_down(ACC x, u32 distance) {
  AccWords words = words_of(x);
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    words.word[w] = __shfl_down_sync(0xffffffffu, words.word[w], distance);
  }
  return words.value;
}

// Part lane_highest_shuffle: the highest lane whose flag is set.
// Provides: lane_highest
// Uses: lanes

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, LaneScratch* scratch) {
  return 31 - __clz((i32)__ballot_sync(0xffffffffu, flag));
}

// Part lane_barrier_shuffle: a barrier of the lanes of a warp.
// Provides: lane_barrier

// What a lane wrote to local memory before the barrier is visible to every lane behind it.
DEVICE void lane_barrier() { __syncwarp(0xffffffffu); }

// Part shuffles: scan and reduction over the lanes of a warp, by shuffles.
// Provides: lane_folds
// Uses: lanes, lane_index, shuffle_up, shuffle_down, shuffle_idx

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
