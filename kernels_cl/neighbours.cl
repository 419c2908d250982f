// Prelude: a tree over the values of a group in local memory.

// A perfect binary tree over neighbours, in place: values[0] is its root.
DEVICE void combine_neighbours(__local ACC* values, u32 count) {
  const u32 id = (u32)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 1; distance < count; distance *= 2) {
    if (id % (2 * distance) == 0 && id + distance < count) {
      values[id] = COMBINE(values[id], values[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
