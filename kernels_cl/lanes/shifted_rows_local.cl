// Prelude: rows of a strip where packs do not lie as lanes hold them: element by element, as an
// exchange through local memory would cost more.

#define SHIFTS_ROWS 0

DEVICE void packs_to_runs(__private ACC* item, u32 by) {}

DEVICE void runs_to_packs(__private ACC* item, u32 by) {}
