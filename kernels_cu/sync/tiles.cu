// Prelude: the tiles of a single-pass scan, one of which a group has.

// The tile of a group. One beyond n, of a launch for more elements than there are, has no element;
// who has it looks at no predecessor and publishes nothing.
typedef struct {
  u64 tile;
  u64 predecessors;  // Tiles before it.
  bool valid;        // It has elements.
  bool last;         // It has the last element; of no elements, the first tile has.
} Draw;

DEVICE Draw tile_at(u64 tile, u64 n) {
  Draw draw;
  draw.tile = tile;
  const u64 begin = tile * TILE;
  draw.valid = begin < n;
  draw.last = (draw.valid || tile == 0) && n <= begin + TILE;
  draw.predecessors = draw.valid ? tile : 0;
  return draw;
}
