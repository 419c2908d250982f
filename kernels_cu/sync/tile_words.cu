// Part tile_words: the words that groups of a launch publish to each other. A value is ACC_WORDS
// words of {32 value bits, 30 epoch bits, 2 state bits}. A reader accepts it only when all its
// words have the same tag, so no fence orders them. The epoch in the control word advances with
// every call, so words of earlier calls count as empty.
// Provides: tile_words
// Uses: words, atomics, word_loads, device_fence

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

// Indices and counts of a launch. They are one parameter, because NVIDIA's OpenCL needs time for
// each parameter, whatever its size.
typedef struct {
  u64 output;    // Index of the first result,
  u64 control;   // and of the first control word.
  u64 capacity;  // Words behind those.
  u64 tiles;
} ScanPlaces;

// control[0] is {epoch, ticket}; control[1] counts groups, and is 0 between calls.
DEVICE u32 ticket_of(u64 control) { return (u32)control; }
DEVICE u32 epoch_of(u64 control) { return (u32)(control >> 32); }

DEVICE void publish(u64* words, u64 tile, u32 epoch, u32 state, ACC value) {
  const AccWords value_words = words_of(value);
  const u32 tag = ((epoch + 1) << 2) | state;
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) {
    store_word(words + tile * ACC_WORDS + w, (u64)value_words.word[w] << 32 | tag);
  }
}

// Reads the state that `tile` has published in this epoch, and its value.
DEVICE u32 try_read(const u64* words, u64 tile, u32 epoch, ACC* value) {
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

// Advances the epoch for the next call. Called by one work-item of each group; `last` is true in
// the group that drew last. The others know the epoch of this call already. When epochs run out,
// the last group to come here zeroes the words.
DEVICE void end_epoch(u64* control, u64* words, u64 capacity, u32 epoch, u64 groups, bool last) {
  if (epoch + 1 < EPOCH_LIMIT) {
    if (last) store_word(control, (u64)(epoch + 1) << 32);
    return;
  }
  // After the words that this group has published.
  device_fence();
  if (add_word(control + 1, 1) + 1 == groups) {
    device_fence();
    for (u64 w = 0; w < capacity; ++w) store_word(words + w, 0);
    store_word(control, 0);
    store_word(control + 1, 0);
  }
}
