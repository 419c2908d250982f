// Part ring_results_direct: results of a warp tile in a ring are stored by the lanes that hold
// them.
// Provides: ring_results
// Uses: order_warp_tile_stores

DEVICE __local uint4* results_of(__local uint4* stages, u32 warp_tile) { return 0; }

DEVICE void put_warp_tile(__global OUT* output, u64 from, u64 begin, u64 n, bool in_place,
                          __private ACC* sums, __local uint4* results) {
  store_warp_tile(output, from, begin, n, sums);
}

DEVICE void wait_results(void) {}

// Part ring_results_gathered: results of a warp tile in a ring whose size is no vector's. If each
// lane stored its own, memory would see every sector in several parts. So they are gathered in
// local memory behind the stages, and the copy engine stores a warp tile at once.
// Provides: ring_results
// Uses: lanes, order_warp_tile_stores, bulk_copies_out, order_ring, lane_index, lane_barrier

#define RESULT_WORDS (sizeof(OUT) / 4)
#define WARP_TILE_VECTORS (WARP_TILE * sizeof(OUT) / VECTOR_BYTES)
typedef char results_are_words[sizeof(OUT) % 4 == 0 ? 1 : -1];

// Where the results of a warp tile are gathered: at the same offset in a line as in the output.
DEVICE __local uint4* results_of(__local uint4* stages, u32 warp_tile) {
  return stages + STAGES * STAGE_VECTORS +
         warp_tile * (WARP_TILE_VECTORS + LINE_BYTES / VECTOR_BYTES);
}

// Stores what was gathered: whole vectors by the copy engine, and the words of a split vector at
// either end by lanes.
DEVICE void store_results(__global OUT* to, const __local uint4* results) {
  const u32 misalignment = (u32)((u64)to % VECTOR_BYTES);
  const u32 split = misalignment == 0 ? 0 : 1;
  results += (u64)to % LINE_BYTES / VECTOR_BYTES;
  __global u8* begin = (__global u8*)to - misalignment;
  if (lane_index() == 0) {
    copy_out(begin + split * VECTOR_BYTES, results + split,
             (WARP_TILE_VECTORS - split) * VECTOR_BYTES);
  }
  if (split != 0 && lane_index() < VECTOR_BYTES / 4) {
    const u32 word =
        lane_index() + (lane_index() * 4 < misalignment ? WARP_TILE_VECTORS * VECTOR_BYTES / 4 : 0);
    ((__global u32*)begin)[word] = ((const __local u32*)results)[word];
  }
}

DEVICE void put_warp_tile(__global OUT* output, u64 from, u64 begin, u64 n, bool in_place,
                          __private ACC* sums, __local uint4* results) {
  if (begin < from || begin + WARP_TILE > n) {
    store_warp_tile(output, from, begin, n, sums);
    return;
  }
  // The results of the previous warp tile have been copied.
  if (lane_index() == 0) wait_copies_out();
  lane_barrier();
  __global OUT* to = output + begin;
  __local u32* own = (__local u32*)results + (u64)to % LINE_BYTES / 4 + run_index(0) * RESULT_WORDS;
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      union {
        OUT item;
        u32 word[RESULT_WORDS];
      } result;
      result.item = TO_OUT(sums[r * RUN + k]);
#pragma unroll
      for (u32 w = 0; w < RESULT_WORDS; ++w) {
        own[(r * LANES * RUN + k) * RESULT_WORDS + w] = result.word[w];
      }
    }
  }
  fence_async_local();
  lane_barrier();
  // In place, another group may read these elements until the tile's total is visible.
  if (in_place && lane_index() == 0) fence_async();
  store_results(to, results);
}

// Afterwards no copy reads local memory.
DEVICE void wait_results(void) {
  if (lane_index() == 0) wait_copies_out();
}
