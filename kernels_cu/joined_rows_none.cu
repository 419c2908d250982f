// Prelude: rows of packs that do not lie as lanes hold them: loaded and stored element by element.

#define JOINS_IN 0
#define JOINS_OUT 0

DEVICE void load_joined_rows(const IN* own, u64 left, u32 rows, IN_PACK* pack) {}
DEVICE void store_joined_rows(OUT* own, u32 off, u32 rows, const OUT_PACK* pack) {}
