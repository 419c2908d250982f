// Prelude: an accumulator as 32-bit words, as which values of any type travel between work-items.

#define ACC_WORDS ((sizeof(ACC) + 3) / 4)

typedef union {
  u32 word[ACC_WORDS];
  ACC value;
} AccWords;

DEVICE AccWords words_of(ACC x) {
  AccWords words;
  words.word[ACC_WORDS - 1] = 0;  // Its upper bytes may lie beyond the value's.
  words.value = x;
  return words;
}
