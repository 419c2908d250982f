// Prelude: rows of packs that do not lie as lanes hold them: not stored by their words.

#define JOINS_OUT 0

DEVICE void store_joined_rows(OUT* own, u32 off, u32 rows, const OUT_PACK* pack) {}
