// Part blocks: the input divided into consecutive tiles, one block of them for each group.
// Provides: blocks

// The first element of block `group` of `groups`. It is the end of the block before. The last
// blocks may be empty.
DEVICE u64 block_begin(u64 n, u64 group, u64 groups) {
  const u64 tiles = n / TILE + (n % TILE != 0);
  const u64 tiles_each = tiles / groups + (tiles % groups != 0);
  const u64 begin = group * tiles_each * TILE;
  return begin < n ? begin : n;
}
