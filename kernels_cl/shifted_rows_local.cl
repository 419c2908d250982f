// Prelude: rows of a strip where packs do not lie as lanes hold them: element by element, as an
// exchange through local memory would cost more.

#define SHIFTS_ROWS 0

DEVICE void shift_runs(__private ACC* item, const __private Element* behind, u64 end, u32 early) {}

DEVICE void store_shifted_rows(__global OUT* own, u32 lead, const __private ACC* value) {}
