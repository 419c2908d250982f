// Part blocks: the input divided into one block of consecutive tiles per group.
// Provides: blocks

// First element of block `group` of `groups`; block g ends where block g + 1 begins, and the last
// ones may be empty.
DEVICE u64 block_begin(u64 n, u64 group, u64 groups) {
  const u64 tiles = n / TILE + (n % TILE != 0);
  const u64 tiles_each = tiles / groups + (tiles % groups != 0);
  const u64 begin = group * tiles_each * TILE;
  return begin < n ? begin : n;
}
