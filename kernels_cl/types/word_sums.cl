// Prelude: sums of the integers in words, VALUES_PER_WORD in each, by dot products with ones. From
// sm_61 on.

#if SIGNED_VALUES
#define VALUES "s32"
#else
#define VALUES "u32"
#endif

// `sum` and the integers in a word.
DEVICE u32 add_word_items(u32 word, u32 sum) {
  u32 total;
#if VALUES_PER_WORD == 4
  asm("dp4a." VALUES ".u32 %0, %1, %2, %3;" : "=r"(total) : "r"(word), "r"(0x01010101u), "r"(sum));
#else
  asm("dp2a.lo." VALUES ".u32 %0, %1, %2, %3;" : "=r"(total) : "r"(word), "r"(0x0101u), "r"(sum));
#endif
  return total;
}

typedef u32 WordFold;

DEVICE WordFold empty_fold(void) { return 0; }
DEVICE WordFold fold_word(u32 word, WordFold fold) { return add_word_items(word, fold); }
DEVICE ACC fold_total(WordFold fold) { return (ACC)fold; }
