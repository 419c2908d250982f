// Prelude: a value combined into a cell that all work-items share, by the atomics that OpenCL C has
// for integers of 4 bytes.

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
