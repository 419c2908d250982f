// Part cell_exchange:
// a value combined into a cell that all work-items share, by compare and exchange of the
// word that holds it. Values of less than 4 bytes are the low bytes of their word.
// Provides: cell

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
// so the loop ends. The first try takes the cell to hold the identity still, which costs an
// exchange where it does not, and no read that races with the exchanges of others. A value that
// leaves the word as it was is the identity or absorbed, and needs none.
DEVICE void exchange_into(ACC* cell, ACC x) {
  CellWord* word = (CellWord*)cell;
  CellBits now;
  now.word = 0;
  now.value = IDENTITY;
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

// Part cell_native:
// a value combined into a cell that all work-items share, by the device's own atomic for
// integers of 4 bytes.
// Provides: cell
// Uses: cell_exchange

#if defined CELL_PLUS
DEVICE void combine_into(ACC* cell, ACC x) { atomicAdd((CellWord*)cell, (CellWord)x); }
#elif defined CELL_MINIMUM
DEVICE void combine_into(ACC* cell, ACC x) { atomicMin(cell, x); }
#elif defined CELL_MAXIMUM
DEVICE void combine_into(ACC* cell, ACC x) { atomicMax(cell, x); }
#elif defined CELL_BIT_AND
DEVICE void combine_into(ACC* cell, ACC x) { atomicAnd((CellWord*)cell, (CellWord)x); }
#elif defined CELL_BIT_OR
DEVICE void combine_into(ACC* cell, ACC x) { atomicOr((CellWord*)cell, (CellWord)x); }
#elif defined CELL_BIT_XOR
DEVICE void combine_into(ACC* cell, ACC x) { atomicXor((CellWord*)cell, (CellWord)x); }
#endif

// Part cell_wide:
// a value combined into a cell that all work-items share, by the device's own atomics for
// floating sums and integers of 8 bytes.
// Provides: cell
// Uses: cell_exchange

#if defined CELL_PLUS_F32
// The device's sum flushes denormals. From 2^-100 on no flush can be seen in the result, as no
// denormal is half a unit in its last place; what is smaller is exchanged.
DEVICE void combine_into(ACC* cell, ACC x) {
  const u32 exponent = (__float_as_uint(x) >> 23) & 0xffu;
  if (exponent >= 127 - 100) {
    atomicAdd(cell, x);
  } else {
    exchange_into(cell, x);
  }
}
#elif defined CELL_PLUS_F64
DEVICE void combine_into(ACC* cell, ACC x) { atomicAdd(cell, x); }
#elif defined CELL_PLUS
DEVICE void combine_into(ACC* cell, ACC x) { atomicAdd((CellWord*)cell, (CellWord)x); }
#elif defined CELL_MINIMUM
DEVICE void combine_into(ACC* cell, ACC x) { atomicMin(cell, x); }
#elif defined CELL_MAXIMUM
DEVICE void combine_into(ACC* cell, ACC x) { atomicMax(cell, x); }
#elif defined CELL_BIT_AND
DEVICE void combine_into(ACC* cell, ACC x) { atomicAnd((CellWord*)cell, (CellWord)x); }
#elif defined CELL_BIT_OR
DEVICE void combine_into(ACC* cell, ACC x) { atomicOr((CellWord*)cell, (CellWord)x); }
#elif defined CELL_BIT_XOR
DEVICE void combine_into(ACC* cell, ACC x) { atomicXor((CellWord*)cell, (CellWord)x); }
#endif
