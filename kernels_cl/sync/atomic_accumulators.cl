// Part accumulator_exchange: a value is combined into an accumulator that all work-items share, by
// compare-and-swap of its word. Values of less than 4 bytes are the low bytes of their word.
// Provides: atomic_accumulator

#if ATOMIC_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef u64 AtomicWord;
#define EXCHANGE_WORD(word, expected, desired) atom_cmpxchg(word, expected, desired)
#else
typedef u32 AtomicWord;
#define EXCHANGE_WORD(word, expected, desired) atomic_cmpxchg(word, expected, desired)
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
DEVICE void exchange_into(__global ACC* accumulator, ACC x) {
  volatile __global AtomicWord* word = (volatile __global AtomicWord*)accumulator;
  AtomicBits now;
  now.word = 0;
  now.value = IDENTITY;
  for (bool done = false; !done;) {
    AtomicBits next = now;
    next.value = COMBINE(now.value, x);
    AtomicWord found = now.word;
    if (next.word != now.word) found = EXCHANGE_WORD(word, now.word, next.word);
    done = found == now.word;
    now.word = found;
  }
}

#ifndef ATOMIC_NATIVE
DEVICE void combine_into(__global ACC* accumulator, ACC x) { exchange_into(accumulator, x); }
#endif

// Part accumulator_native: a value is combined into an accumulator that all work-items share, by
// OpenCL C's atomics for integers of 4 bytes.
// Provides: atomic_accumulator
// Uses: accumulator_exchange

#if defined ATOMIC_PLUS
#define ATOMIC_FUNCTION atomic_add
#elif defined ATOMIC_MINIMUM
#define ATOMIC_FUNCTION atomic_min
#elif defined ATOMIC_MAXIMUM
#define ATOMIC_FUNCTION atomic_max
#elif defined ATOMIC_BIT_AND
#define ATOMIC_FUNCTION atomic_and
#elif defined ATOMIC_BIT_OR
#define ATOMIC_FUNCTION atomic_or
#elif defined ATOMIC_BIT_XOR
#define ATOMIC_FUNCTION atomic_xor
#endif

DEVICE void combine_into(__global ACC* accumulator, ACC x) {
  ATOMIC_FUNCTION((volatile __global ACC*)accumulator, x);
}

// Part accumulator_wide: a value is combined into an accumulator that all work-items share. On
// NVIDIA devices this uses PTX reductions for floating sums and integers of 8 bytes, which OpenCL C
// lacks.
// Provides: atomic_accumulator
// Uses: accumulator_exchange

#if defined ATOMIC_PLUS_F32
#define ATOMIC_REDUCTION "add.f32"
#define ATOMIC_REGISTER "f"
#elif defined ATOMIC_PLUS_F64
#define ATOMIC_REDUCTION "add.f64"
#define ATOMIC_REGISTER "d"
#else
#define ATOMIC_REGISTER "l"
#if defined ATOMIC_PLUS
#define ATOMIC_REDUCTION "add.u64"
#elif defined ATOMIC_MINIMUM && defined ATOMIC_SIGNED
#define ATOMIC_REDUCTION "min.s64"
#elif defined ATOMIC_MINIMUM
#define ATOMIC_REDUCTION "min.u64"
#elif defined ATOMIC_MAXIMUM && defined ATOMIC_SIGNED
#define ATOMIC_REDUCTION "max.s64"
#elif defined ATOMIC_MAXIMUM
#define ATOMIC_REDUCTION "max.u64"
#elif defined ATOMIC_BIT_AND
#define ATOMIC_REDUCTION "and.b64"
#elif defined ATOMIC_BIT_OR
#define ATOMIC_REDUCTION "or.b64"
#elif defined ATOMIC_BIT_XOR
#define ATOMIC_REDUCTION "xor.b64"
#endif
#endif

DEVICE void reduce_into(__global ACC* accumulator, ACC x) {
  asm volatile("red.relaxed.gpu.global." ATOMIC_REDUCTION " [%0], %1;"
               :
               : "l"(accumulator), ATOMIC_REGISTER(x)
               : "memory");
}

#if defined ATOMIC_PLUS_F32
// The device's sum flushes denormals. For values of at least 2^-100 no flush changes the result: no
// denormal is half a unit in its last place. Smaller values are exchanged.
DEVICE void combine_into(__global ACC* accumulator, ACC x) {
  const u32 exponent = (as_uint(x) >> 23) & 0xffu;
  if (exponent >= 127 - 100) {
    reduce_into(accumulator, x);
  } else {
    exchange_into(accumulator, x);
  }
}
#else
DEVICE void combine_into(__global ACC* accumulator, ACC x) { reduce_into(accumulator, x); }
#endif
