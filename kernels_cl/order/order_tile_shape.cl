// Prelude: how lane groups share a tile of order v1.
// A lane group owns STRIPS_EACH consecutive strips of it.

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define STRIPS_EACH (TILE_STRIPS / LANE_GROUPS)
#if TILE_STRIPS % LANE_GROUPS != 0
#error "every lane group has as many strips"
#endif

// Rows of which a lane holds something, strip after strip.
#define ROWS_EACH (STRIPS_EACH * STRIP_ROWS)
