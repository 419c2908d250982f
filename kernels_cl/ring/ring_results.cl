// Part ring_results_packs:
// results of a strip in a ring, stored by the lanes that have them: gathered nowhere.
// Provides: ring_results
// Uses: order_strip_results

DEVICE __local uint4* results_of(__local uint4* stages, u32 strip) { return 0; }

DEVICE void put_strip(__global OUT* output, u64 from, u64 begin, u64 n, bool in_place,
                      __private ACC* sums, __local uint4* results) {
  store_strip(output, from, begin, n, sums);
}

DEVICE void await_results(void) {}

// Part ring_results_gathered:
// results of a strip in a ring that no vector holds. Stored by the lanes that have them,
// each would be in as many parts as it has words, and memory would see every sector in parts. They
// are gathered in local memory behind the stages, from where the copy engine takes a strip at once.
// Provides: ring_results
// Uses: lanes, order_strip_results, bulk_copies_out, order_ring

#define RESULT_WORDS (sizeof(OUT) / 4)
#define STRIP_UNITS (STRIP * sizeof(OUT) / UNIT_BYTES)
typedef char results_are_words[sizeof(OUT) % 4 == 0 ? 1 : -1];

// Where the results of a strip are gathered: as far from a line as they are in the output.
DEVICE __local uint4* results_of(__local uint4* stages, u32 strip) {
  return stages + STAGES * STAGE_UNITS + strip * (STRIP_UNITS + LINE_BYTES / UNIT_BYTES);
}

// Stores what was gathered: whole units by the copy engine, and the words of one at either end.
DEVICE void store_results(__global OUT* to, const __local uint4* results) {
  const u32 skew = (u32)((u64)to % UNIT_BYTES);
  const u32 split = skew == 0 ? 0 : 1;
  results += (u64)to % LINE_BYTES / UNIT_BYTES;
  __global u8* begin = (__global u8*)to - skew;
  if (lane_index() == 0) {
    copy_out(begin + split * UNIT_BYTES, results + split, (STRIP_UNITS - split) * UNIT_BYTES);
  }
  if (split != 0 && lane_index() < UNIT_BYTES / 4) {
    const u32 word = lane_index() + (lane_index() * 4 < skew ? STRIP_UNITS * UNIT_BYTES / 4 : 0);
    ((__global u32*)begin)[word] = ((const __local u32*)results)[word];
  }
}

DEVICE void put_strip(__global OUT* output, u64 from, u64 begin, u64 n, bool in_place,
                      __private ACC* sums, __local uint4* results) {
  if (begin < from || begin + STRIP > n) {
    store_strip(output, from, begin, n, sums);
    return;
  }
  // Those of the strip before have left.
  if (lane_index() == 0) await_copies_out();
  lane_barrier();
  __global OUT* to = output + begin;
  __local u32* own = (__local u32*)results + (u64)to % LINE_BYTES / 4 + run_index(0) * RESULT_WORDS;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
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
  order_copies();
  lane_barrier();
  // In place what is overwritten may be asked for until the tile's total is seen.
  if (in_place && lane_index() == 0) order_copies_out();
  store_results(to, results);
}

// No copy reads local memory any more.
DEVICE void await_results(void) {
  if (lane_index() == 0) await_copies_out();
}
