// Part cell_exchange:
// a value combined into a cell that all work-items share, by compare and exchange of the
// word that holds it. Values of less than 4 bytes are the low bytes of their word.
// Provides: cell

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

// Part cell_native:
// a value combined into a cell that all work-items share, by the atomics that OpenCL C has
// for integers of 4 bytes.
// Provides: cell
// Uses: cell_exchange

#if defined CELL_PLUS
#define CELL_ATOMIC atomic_add
#elif defined CELL_MINIMUM
#define CELL_ATOMIC atomic_min
#elif defined CELL_MAXIMUM
#define CELL_ATOMIC atomic_max
#elif defined CELL_BIT_AND
#define CELL_ATOMIC atomic_and
#elif defined CELL_BIT_OR
#define CELL_ATOMIC atomic_or
#elif defined CELL_BIT_XOR
#define CELL_ATOMIC atomic_xor
#endif

DEVICE void combine_into(__global ACC* cell, ACC x) {
  CELL_ATOMIC((volatile __global ACC*)cell, x);
}

// Part cell_wide: a value combined into a cell that all work-items share, on NVIDIA devices by the
// reductions of PTX for floating sums and integers of 8 bytes, which OpenCL C has no words for.
// Provides: cell
// Uses: cell_exchange

#if defined CELL_PLUS_F32
#define CELL_REDUCTION "add.f32"
#define CELL_REGISTER "f"
#elif defined CELL_PLUS_F64
#define CELL_REDUCTION "add.f64"
#define CELL_REGISTER "d"
#else
#define CELL_REGISTER "l"
#if defined CELL_PLUS
#define CELL_REDUCTION "add.u64"
#elif defined CELL_MINIMUM && defined CELL_SIGNED
#define CELL_REDUCTION "min.s64"
#elif defined CELL_MINIMUM
#define CELL_REDUCTION "min.u64"
#elif defined CELL_MAXIMUM && defined CELL_SIGNED
#define CELL_REDUCTION "max.s64"
#elif defined CELL_MAXIMUM
#define CELL_REDUCTION "max.u64"
#elif defined CELL_BIT_AND
#define CELL_REDUCTION "and.b64"
#elif defined CELL_BIT_OR
#define CELL_REDUCTION "or.b64"
#elif defined CELL_BIT_XOR
#define CELL_REDUCTION "xor.b64"
#endif
#endif

DEVICE void reduce_into(__global ACC* cell, ACC x) {
  asm volatile("red.relaxed.gpu.global." CELL_REDUCTION " [%0], %1;"
               :
               : "l"(cell), CELL_REGISTER(x)
               : "memory");
}

#if defined CELL_PLUS_F32
// The device's sum flushes denormals. From 2^-100 on no flush can be seen in the result, as no
// denormal is half a unit in its last place; what is smaller is exchanged.
DEVICE void combine_into(__global ACC* cell, ACC x) {
  const u32 exponent = (as_uint(x) >> 23) & 0xffu;
  if (exponent >= 127 - 100) {
    reduce_into(cell, x);
  } else {
    exchange_into(cell, x);
  }
}
#else
DEVICE void combine_into(__global ACC* cell, ACC x) { reduce_into(cell, x); }
#endif
