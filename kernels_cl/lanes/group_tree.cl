// Prelude: the local-memory tree of Catanzaro's reduction, for any power-of-two group.

DEVICE ACC group_tree(ACC x, __local ACC* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}
