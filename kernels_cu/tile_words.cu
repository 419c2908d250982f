// Prelude: what tiles of a single-pass scan publish to each other.
// A value travels in ACC_WORDS words of {32 value bits, 30 epoch bits, 2 state bits}; it is taken
// only when all its words carry the same tag, so no fence orders them. The epoch in the control
// word moves on with every call, which makes the words of earlier calls count as empty.

#ifndef EPOCH_LIMIT
#define EPOCH_LIMIT 0x3fffffff  // Epochs before the words are zeroed again.
#endif
#ifndef SPIN_LIMIT
#define SPIN_LIMIT 16384  // Polls of a missing tile before it is reduced by who waits.
#endif

#define WORDS_AT_ONCE (ACC_WORDS % 2 == 0 ? 2 : 1)  // A pair may be torn: tags tell.

#define STATE_EMPTY 0u
#define STATE_AGGREGATE 1u
#define STATE_INCLUSIVE 2u

// control[0] is {epoch, ticket}, control[1] counts finished tiles.
DEVICE u32 ticket_of(u64 control) { return (u32)control; }
DEVICE u32 epoch_of(u64 control) { return (u32)(control >> 32); }

// What a group draws: a ticket for its tile, and the epoch of the call.
typedef struct {
  u32 epoch;
  u64 tile;
  u64 predecessors;  // Tiles before it.
  bool valid;        // It has elements.
  bool last;         // It has the last element; of no elements, the first tile has.
} Draw;

// Draws the group's tile, the same for all its work-items. A tile beyond n, of a launch for more
// elements than there are or of a call that failed half-way, has no element; who draws one looks at
// no predecessor and publishes nothing. Ends with a barrier behind it.
DEVICE Draw draw_tile(u64* control, u64 n, u64* drawn) {
  if (threadIdx.x == 0) *drawn = add_word(control, 1);
  __syncthreads();
  Draw draw;
  draw.epoch = epoch_of(*drawn);
  draw.tile = ticket_of(*drawn);
  const u64 begin = draw.tile * TILE;
  draw.valid = begin < n;
  draw.last = (draw.valid || draw.tile == 0) && n <= begin + TILE;
  draw.predecessors = draw.valid ? draw.tile : 0;
  return draw;
}

DEVICE void publish(u64* words, u64 tile, u32 epoch, u32 state, ACC value) {
  const AccWords value_words = words_of(value);
  const u32 tag = ((epoch + 1) << 2) | state;
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    store_word(words + tile * ACC_WORDS + w, (u64)value_words.word[w] << 32 | tag);
  }
}

// The state that `tile` has published in this epoch, and its value.
DEVICE u32 inspect(const u64* words, u64 tile, u32 epoch, ACC* value) {
  const u64* from = words + tile * ACC_WORDS;
  u64 word[ACC_WORDS + 1];
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; w += WORDS_AT_ONCE) {
    if (WORDS_AT_ONCE == 2) {
      load_word_pair(from + w, &word[w], &word[w + 1]);
    } else {
      word[w] = load_word(from + w);
    }
  }
  const u32 tag = (u32)word[0];
  bool whole = tag >> 2 == epoch + 1;
  AccWords found;
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    whole = whole && (u32)word[w] == tag;
    found.word[w] = (u32)(word[w] >> 32);
  }
  *value = found.value;
  return whole ? tag & 3u : STATE_EMPTY;
}

// Counts a finished tile; the last one makes the control words ready for the next call, zeroing
// the words where the epochs have run out.
DEVICE void finish_tile(u64* control, u64* words, u64 capacity, u32 epoch, u64 tiles) {
  if (add_word(control + 1, 1) + 1 < tiles) return;
  u32 next = epoch + 1;
  if (next >= EPOCH_LIMIT) {
    device_fence();
    for (u64 w = 0; w < capacity; ++w) store_word(words + w, 0);
    next = 0;
  }
  store_word(control, (u64)next << 32);
  store_word(control + 1, 0);
}
