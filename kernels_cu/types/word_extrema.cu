// Prelude: extrema of the integers in words, two in an instruction. From sm_90 on.

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

// What is higher up in a half decides: of bytes, `upper` has the extrema of the upper ones of
// halves, and `lower` those of the others, which are moved there. Of halves, `upper` has all.
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
