// Prelude: rows of packs that do not lie as lanes hold them: loaded and stored element by element.

#define JOINS_IN 0
#define JOINS_OUT 0

DEVICE void load_joined_rows(const __global IN* own, u64 left, u32 rows, __private IN_PACK* pack) {}
DEVICE void store_joined_rows(__global OUT* own, u32 off, u32 rows,
                              const __private OUT_PACK* pack) {}
