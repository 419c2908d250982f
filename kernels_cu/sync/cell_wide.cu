// Prelude: a value combined into a cell that all work-items share, by the device's own atomics for
// floating sums and integers of 8 bytes.

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
