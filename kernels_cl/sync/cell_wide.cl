// Prelude: a value combined into a cell that all work-items share, on NVIDIA devices by the
// reductions of PTX for floating sums and integers of 8 bytes, which OpenCL C has no words for.

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
