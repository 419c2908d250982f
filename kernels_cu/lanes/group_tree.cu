// Prelude: the local-memory tree of Catanzaro's reduction, for any power-of-two group.

DEVICE ACC group_tree(ACC x, ACC* scratch) {
  const u32 id = threadIdx.x;
  scratch[id] = x;
  __syncthreads();
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    __syncthreads();
  }
  return scratch[0];
}
