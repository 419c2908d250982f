// Prelude: arrays of elements as a work-item of a CPU device takes them, one by one.

DEVICE ACC lifted(Elements input, u64 i) { return lift_element(load_element(input, i), i); }

DEVICE void copy_array(const ACC* from, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = from[c];
}

DEVICE void combine_arrays(const ACC* left, const ACC* right, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = COMBINE(left[c], right[c]);
}

DEVICE void lift_array(Elements input, u64 begin, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = lifted(input, begin + c);
}

// Appends an element to each of the sums.
DEVICE void append_array(ACC* sums, Elements input, u64 begin, u32 count) {
  for (u32 c = 0; c < count; ++c) sums[c] = COMBINE(sums[c], lifted(input, begin + c));
}

DEVICE void store_array(const ACC* from, __global OUT* output, u32 count) {
  for (u32 c = 0; c < count; ++c) output[c] = TO_OUT(from[c]);
}
