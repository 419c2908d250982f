// Part ring_beside_none: a tile has nothing beside what its stage holds.
// Provides: ring_beside
// Uses: elements

DEVICE void fetch_beside(Elements input, u64 n, u64 begin) {}

// Part ring_items_runs: elements of a run in a stage, and the misalignment of the first one.
// Provides: ring_items, ring_item
// Uses: order_ring, element_address

// Element k of a run. A built-in type is made from its bits: with a union, the compiler would also
// write the whole warp tile to memory.
DEVICE IN item_of(Run run, u32 k) {
#if defined(IN_OF_BITS) && RUN_BYTES == 2 * RUN
  return IN_OF_BITS((u16)(run.word[k / 2] >> k % 2 * 16));
#elif defined(IN_OF_BITS) && RUN_BYTES == 4 * RUN
  return IN_OF_BITS(run.word[k]);
#elif defined(IN_OF_BITS)
  return IN_OF_BITS((u64)run.word[2 * k + 1] << 32 | run.word[2 * k]);
#else
  union {
    u32 word[(sizeof(IN) + 3) / 4];
    IN value;
  } item;
  const u32 first = k * (u32)sizeof(IN);
#pragma unroll
  for (u32 w = 0; w < (sizeof(IN) + 3) / 4; ++w) {
    item.word[w] = run.word[first / 4 + w] >> first % 4 * 8;
  }
  return item.value;
#endif
}

// Bytes of a vector before the first element.
DEVICE u32 misalignment_of(Elements input) {
  const u64 address = (u64)address_at(input, 0);
  return address % sizeof(Piece) != 0 ? 0 : (u32)(address % VECTOR_BYTES);
}

// Part ring_items_bytes: long runs of 1-byte and 2-byte integers in a stage.
// Provides: ring_items, ring_reads
// Uses: order_ring, join_words, element_address, lane_index

// Such a run is one vector.
typedef Run Vector;
typedef char runs_are_vectors[RUN_BYTES == VECTOR_BYTES ? 1 : -1];

// Bytes of a vector before the first element.
DEVICE u32 misalignment_of(Elements input) {
  return (u32)((u64)address_at(input, 0) % VECTOR_BYTES);
}

// The vector that begins at byte `misalignment` of `low` and goes on in `high`.
DEVICE Vector join_vectors(Vector low, Vector high, u32 misalignment) {
  Vector vector;
  join_words(low.word, high.word, VECTOR_BYTES / 4, misalignment, vector.word);
  return vector;
}

// Reads this lane's runs of a warp tile. `misalignment` bytes of the stage lie before the first
// element.
DEVICE void read_runs(const __local uint4* stage, u32 misalignment, u32 warp_tile,
                      Vector vector[WARP_TILE_ROWS]) {
  const __local uint4* row = stage + warp_tile * (WARP_TILE / RUN) + lane_index();
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    vector[r] = run_of(row[r * LANES]);
    if (misalignment != 0)
      vector[r] = join_vectors(vector[r], run_of(row[r * LANES + 1]), misalignment);
  }
}

// Part ring_item_bytes: an element of a long run.
// Provides: ring_item
// Uses: ring_items_bytes

// Element k of a run.
DEVICE IN item_of(Vector vector, u32 k) {
  const u32 per_word = 4 / sizeof(IN);
  return (IN)(vector.word[k / per_word] >> (k % per_word * (32 / per_word)));
}

// Part ring_reads_vectors: runs of 8 and 16 bytes are read from a stage as vectors.
// Provides: ring_reads
// Uses: order_ring, join_words, lane_index

// Reads this lane's runs of a warp tile. `misalignment` bytes of the stage lie before the first
// element.
DEVICE void read_runs(const __local uint4* stage, u32 misalignment, u32 warp_tile,
                      Run run[WARP_TILE_ROWS]) {
  const __local RunVector* row = (const __local RunVector*)stage + misalignment / RUN_BYTES;
  row += warp_tile * (WARP_TILE / RUN) + lane_index();
  // This tells the compiler that 4-byte elements never lie across words.
  const u32 step = sizeof(IN) < 4 ? sizeof(IN) : 4;
  const u32 across = misalignment % RUN_BYTES / step * step;
  if (across == 0) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) run[r] = run_of(row[r * LANES]);
  } else {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      const Run low = run_of(row[r * LANES]);
      const Run high = run_of(row[r * LANES + 1]);
      join_words(low.word, high.word, RUN_BYTES / 4, across, run[r].word);
    }
  }
}

// Part ring_reads_words: runs of 12 bytes are read from a stage word by word. The lanes' addresses
// are three words apart, so no two use the same bank of local memory.
// Provides: ring_reads
// Uses: order_ring, lane_index

// Reads this lane's runs of a warp tile. `misalignment` bytes of the stage lie before the first
// element.
DEVICE void read_runs(const __local uint4* stage, u32 misalignment, u32 warp_tile,
                      Run run[WARP_TILE_ROWS]) {
  const __local u32* own = (const __local u32*)stage + misalignment / 4;
  own += (warp_tile * (WARP_TILE / RUN) + lane_index()) * (RUN_BYTES / 4);
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 w = 0; w < RUN_BYTES / 4; ++w) {
      run[r].word[w] = own[r * LANES * (RUN_BYTES / 4) + w];
    }
  }
}
