// Prelude: a value combined into a cell that all work-items share, by compare and exchange of the
// word that holds it. Values of less than 4 bytes are the low bytes of their word.

#if CELL_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef u64 CellWord;
#define EXCHANGE_CELL(word, expected, desired) atom_cmpxchg(word, expected, desired)
#else
typedef u32 CellWord;
#define EXCHANGE_CELL(word, expected, desired) atomic_cmpxchg(word, expected, desired)
#endif

typedef union {
  CellWord word;
  ACC value;
} CellBits;

// Bits are compared, never values: NaN equals nothing and -0 equals +0. An exchange fails only
// where another work-item's has changed the word since, and each makes a bounded number of changes,
// so the loop ends. The first try takes the cell to hold the identity still, which costs an
// exchange where it does not, and no read that races with the exchanges of others. A value that
// leaves the word as it was is the identity or absorbed, and needs none.
DEVICE void exchange_into(__global ACC* cell, ACC x) {
  volatile __global CellWord* word = (volatile __global CellWord*)cell;
  CellBits now;
  now.word = 0;
  now.value = IDENTITY;
  for (bool done = false; !done;) {
    CellBits next = now;
    next.value = COMBINE(now.value, x);
    CellWord found = now.word;
    if (next.word != now.word) found = EXCHANGE_CELL(word, now.word, next.word);
    done = found == now.word;
    now.word = found;
  }
}

#ifndef CELL_NATIVE
DEVICE void combine_into(__global ACC* cell, ACC x) { exchange_into(cell, x); }
#endif
