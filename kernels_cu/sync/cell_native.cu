// Prelude: a value combined into a cell that all work-items share, by the device's own atomic for
// integers of 4 bytes.

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
