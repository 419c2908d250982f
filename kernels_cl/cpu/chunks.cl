// Part chunk_tile: what chunks for CPU devices are multiples of.
// Provides: chunk_tile

#ifndef TILE
#define TILE 4096  // Chunks are multiples of this many elements.
#endif

// Part chunks: consecutive chunks for CPU devices, where a work-item is a loop on one core: it
// wants contiguous memory and several independent accumulators that the compiler turns into
// vectors.
// Provides: chunks
// Uses: chunk_tile

#ifndef STRIPES
#define STRIPES 256  // Accumulators of a commutative reduction; 1 keeps index order.
#endif

// Elements [begin, end) of input combined; with more than one stripe, element i of a step goes to
// accumulator i and the accumulators are folded by halving.
DEVICE ACC reduce_chunk(const __global IN* input, u64 begin, u64 end) {
  ACC sums[STRIPES];
  for (u32 s = 0; s < STRIPES; ++s) sums[s] = IDENTITY;
  u64 i = begin;
  for (; i + STRIPES <= end; i += STRIPES) {
    for (u32 s = 0; s < STRIPES; ++s) sums[s] = COMBINE(sums[s], LIFT(input[i + s]));
  }
  for (u32 s = 0; i + s < end; ++s) sums[s] = COMBINE(sums[s], LIFT(input[i + s]));
  for (u32 width = STRIPES / 2; width > 0; width /= 2) {
    for (u32 s = 0; s < width; ++s) sums[s] = COMBINE(sums[s], sums[s + width]);
  }
  return sums[0];
}
