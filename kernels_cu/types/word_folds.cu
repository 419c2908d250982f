// Part word_addition: the integers in a word are added, VALUES_PER_WORD of them, by a dot product
// with ones. From sm_61 on.
// Provides: word_addition

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

// Part word_sums: sums of the integers in words.
// Provides: word_fold
// Uses: word_addition

typedef u32 WordFold;

DEVICE WordFold empty_fold() { return 0; }
DEVICE WordFold fold_word(u32 word, WordFold fold) { return add_word_items(word, fold); }
DEVICE ACC fold_total(WordFold fold) { return (ACC)fold; }

// Part word_bits: bitwise operators on the integers in words, all of them at once. BIT_OPERATOR: 0
// for and, 1 for or, 2 for exclusive or.
// Provides: word_fold

typedef u32 WordFold;

DEVICE WordFold empty_fold() { return BIT_OPERATOR == 0 ? ~0u : 0u; }

DEVICE WordFold fold_word(u32 word, WordFold fold) {
#if BIT_OPERATOR == 0
  return word & fold;
#elif BIT_OPERATOR == 1
  return word | fold;
#else
  return word ^ fold;
#endif
}

DEVICE ACC fold_total(WordFold fold) {
  ACC total = IDENTITY;
#pragma unroll
  for (u32 k = 0; k < VALUES_PER_WORD; ++k) {
    total = COMBINE(total, (ACC)(IN)(fold >> (k * 8 * sizeof(IN))));
  }
  return total;
}

// Part word_extrema: extrema of the integers in words, two in an instruction. From sm_90 on.
// Provides: word_fold

#if GREATEST
#define EXTREMUM "max."
#else
#define EXTREMUM "min."
#endif
#if SIGNED_VALUES
#define HALVES "s16x2"
#define LEAST_HALF 0x8000u
#else
#define HALVES "u16x2"
#define LEAST_HALF 0x0000u
#endif
#define HALF_IDENTITY (GREATEST ? LEAST_HALF : LEAST_HALF ^ 0xffffu)

// The upper byte of a half decides a comparison. With bytes, `upper` has the extrema of the upper
// bytes of halves, and `lower` those of the lower bytes, shifted up. With halves, `upper` has all.
typedef struct {
  u32 upper;
  u32 lower;
} WordFold;

DEVICE WordFold empty_fold() {
  WordFold fold;
  fold.upper = fold.lower = HALF_IDENTITY * 0x00010001u;
  return fold;
}

DEVICE u32 extrema_of_halves(u32 a, u32 b) {
  u32 extrema;
  asm(EXTREMUM HALVES " %0, %1, %2;" : "=r"(extrema) : "r"(a), "r"(b));
  return extrema;
}

DEVICE WordFold fold_word(u32 word, WordFold fold) {
  fold.upper = extrema_of_halves(fold.upper, word);
#if VALUES_PER_WORD == 4
  fold.lower = extrema_of_halves(fold.lower, word << 8);
#endif
  return fold;
}

// The better one of what two halves have at the top.
DEVICE ACC better_half(u32 halves) {
  const u32 values = halves >> (16 - 8 * sizeof(IN));
  return COMBINE((ACC)(IN)values, (ACC)(IN)(values >> 16));
}

DEVICE ACC fold_total(WordFold fold) {
#if VALUES_PER_WORD == 4
  return COMBINE(better_half(fold.upper), better_half(fold.lower));
#else
  return better_half(fold.upper);
#endif
}
