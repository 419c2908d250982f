// Prelude: rows of packs that do not lie as lanes hold them: loaded element by element.

#define JOINS_IN 0

DEVICE void load_joined_rows(const IN* own, u64 left, u32 rows, IN_PACK* pack) {}
