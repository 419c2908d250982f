// Prelude: a value combined into a cell that all work-items share, by compare and exchange of the
// word that holds it. Values of less than 4 bytes are the low bytes of their word.

#if CELL_BYTES == 8
typedef u64 CellWord;
#else
typedef u32 CellWord;
#endif

typedef union {
  CellWord word;
  ACC value;
} CellBits;

// Bits are compared, never values: NaN equals nothing and -0 equals +0. An exchange fails only
// where another work-item's has changed the word since, and each makes a bounded number of changes,
// so the loop ends. A value that leaves the word as it was needs no exchange.
DEVICE void exchange_into(ACC* cell, ACC x) {
  CellWord* word = (CellWord*)cell;
  CellBits now;
  now.word = *(volatile CellWord*)word;
  for (bool done = false; !done;) {
    CellBits next = now;
    next.value = COMBINE(now.value, x);
    CellWord found = now.word;
    if (next.word != now.word) found = atomicCAS(word, now.word, next.word);
    done = found == now.word;
    now.word = found;
  }
}

#ifndef CELL_NATIVE
DEVICE void combine_into(ACC* cell, ACC x) { exchange_into(cell, x); }
#endif
