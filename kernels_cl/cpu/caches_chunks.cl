// Part past_caches_chunks: stores that bypass a CPU's caches, and loads into them.
// Provides: past_caches_chunks

#ifndef PAST_CACHES_FROM_KIB
#define PAST_CACHES_FROM_KIB 32768  // KiB from which on no cache holds input and output.
#endif

#define CACHE_LINE 64  // Bytes.

// OpenCL has no such stores, and PoCL's prefetch() does nothing.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define STORE_PAST_CACHES(value, address) __builtin_nontemporal_store(value, address)
#define LOAD_AHEAD(address) __builtin_prefetch((const void*)(address))
#else
#define STORE_PAST_CACHES(value, address) (*(address) = (value))
#define LOAD_AHEAD(address)
#endif

// Part caches_chunks: when a scan of one array stores past the caches.
// Provides: caches_chunks
// Uses: elements, element_start, past_caches_chunks

// Whether a scan of n elements stores its results past the caches. An ordinary store first reads
// the line that it writes, which is a third of all memory traffic of a scan. It is worth it where
// input and output fill the last cache and lie apart, and the output is aligned to 16 bytes. Such
// stores may become visible after later stores. No other work-item of the launch reads these
// results. They are visible at the end of the launch, and on x86 with the next atomic draw.
DEVICE bool goes_past_caches(Elements input, __global OUT* output, u64 n) {
  return n >= ((u64)PAST_CACHES_FROM_KIB << 10) / (sizeof(IN) + sizeof(OUT)) &&
         !starts_at(input, output) && (size_t)output % 16 == 0;
}

// Part line_caches_chunks: when a scan of lines stores past the caches.
// Provides: line_caches_chunks
// Uses: line_elements, past_caches_chunks

// The same of a scan of lines of so many elements in all, whatever the alignment of the output.
DEVICE bool lines_go_past_caches(LineElements first, const __global OUT* output, u64 elements) {
  return elements >= ((u64)PAST_CACHES_FROM_KIB << 10) / (sizeof(IN) + sizeof(OUT)) &&
         !line_starts_at(first, output);
}

// Part load_ahead: prefetches into a CPU's caches.
// Provides: load_ahead
// Uses: past_caches_chunks

// Prefetches `count` elements, the first one `distance` behind `first`. They need not exist.
DEVICE void load_ahead(const __global IN* first, u32 distance, u32 count) {
  const u32 line = CACHE_LINE / sizeof(IN);
#pragma unroll
  for (u32 i = 0; i < count; i += line) {
    LOAD_AHEAD((size_t)first + (distance + i) * sizeof(IN));
  }
}
