// Part scalars: values of a text's scalars that lie in device memory.
// Provides: SCALAR_MEMORY

#define SCALAR_MEMORY(type) const __global type*
