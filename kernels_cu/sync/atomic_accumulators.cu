// Part accumulator_exchange: a value is combined into an accumulator that all work-items share, by
// compare-and-swap of its word. Values of less than 4 bytes are the low bytes of their word.
// Provides: atomic_accumulator

#if ATOMIC_BYTES == 8
typedef u64 AtomicWord;
#else
typedef u32 AtomicWord;
#endif

typedef union {
  AtomicWord word;
  ACC value;
} AtomicBits;

// Bits are compared, not values: NaN equals nothing, and -0 equals +0. An exchange fails only if
// another work-item has changed the word. Each work-item makes a bounded number of changes, so the
// loop ends. The first try assumes that the accumulator still has the identity: so no plain read
// races with the others' exchanges. A value that would not change the word is the identity or
// absorbed, and is not exchanged.
DEVICE void exchange_into(ACC* accumulator, ACC x) {
  AtomicWord* word = (AtomicWord*)accumulator;
  AtomicBits now;
  now.word = 0;
  now.value = IDENTITY;
  for (bool done = false; !done;) {
    AtomicBits next = now;
    next.value = COMBINE(now.value, x);
    AtomicWord found = now.word;
    if (next.word != now.word) found = atomicCAS(word, now.word, next.word);
    done = found == now.word;
    now.word = found;
  }
}

#ifndef ATOMIC_NATIVE
DEVICE void combine_into(ACC* accumulator, ACC x) { exchange_into(accumulator, x); }
#endif

// Part accumulator_native: a value is combined into an accumulator that all work-items share, by
// the device's atomics for integers of 4 bytes.
// Provides: atomic_accumulator
// Uses: accumulator_exchange

#if defined ATOMIC_PLUS
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicAdd((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_MINIMUM
DEVICE void combine_into(ACC* accumulator, ACC x) { atomicMin(accumulator, x); }
#elif defined ATOMIC_MAXIMUM
DEVICE void combine_into(ACC* accumulator, ACC x) { atomicMax(accumulator, x); }
#elif defined ATOMIC_BIT_AND
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicAnd((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_BIT_OR
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicOr((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_BIT_XOR
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicXor((AtomicWord*)accumulator, (AtomicWord)x);
}
#endif

// Part accumulator_wide: a value is combined into an accumulator that all work-items share, by the
// device's atomics for floating sums and integers of 8 bytes.
// Provides: atomic_accumulator
// Uses: accumulator_exchange

#if defined ATOMIC_PLUS_F32
// The device's sum flushes denormals. For values of at least 2^-100 no flush changes the result: no
// denormal is half a unit in its last place. Smaller values are exchanged.
DEVICE void combine_into(ACC* accumulator, ACC x) {
  const u32 exponent = (__float_as_uint(x) >> 23) & 0xffu;
  if (exponent >= 127 - 100) {
    atomicAdd(accumulator, x);
  } else {
    exchange_into(accumulator, x);
  }
}
#elif defined ATOMIC_PLUS_F64
DEVICE void combine_into(ACC* accumulator, ACC x) { atomicAdd(accumulator, x); }
#elif defined ATOMIC_PLUS
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicAdd((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_MINIMUM
DEVICE void combine_into(ACC* accumulator, ACC x) { atomicMin(accumulator, x); }
#elif defined ATOMIC_MAXIMUM
DEVICE void combine_into(ACC* accumulator, ACC x) { atomicMax(accumulator, x); }
#elif defined ATOMIC_BIT_AND
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicAnd((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_BIT_OR
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicOr((AtomicWord*)accumulator, (AtomicWord)x);
}
#elif defined ATOMIC_BIT_XOR
DEVICE void combine_into(ACC* accumulator, ACC x) {
  atomicXor((AtomicWord*)accumulator, (AtomicWord)x);
}
#endif
