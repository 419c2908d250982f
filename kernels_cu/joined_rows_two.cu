// Prelude: packs of two arrays that do not lie as lanes hold them: their elements are loaded one by
// one, as either may lie differently.

#define JOINS_IN 0

DEVICE void load_joined_rows(Elements own, u64 left, u32 rows, ElementPack* pack) {}
