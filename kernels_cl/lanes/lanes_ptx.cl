// Prelude: exchange between the work-items of a warp on NVIDIA devices, by shuffles in inline PTX.
// A lane group is LANES consecutive work-items; every word is called by all of them together.

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
