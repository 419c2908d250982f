// Prelude: bitwise operators on the integers in words, all of them at once.
// BIT_OPERATOR: 0 for and, 1 for or, 2 for exclusive or.

typedef u32 WordFold;

DEVICE WordFold empty_fold(void) { return BIT_OPERATOR == 0 ? ~0u : 0u; }

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
