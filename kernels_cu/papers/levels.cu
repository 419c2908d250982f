// Part levels: the two ends of a kernel that is launched again over its own results.
// Provides: levels

// An element of the input, or the identity behind the input's end.
DEVICE ACC element_or_identity(const IN* input, u64 i, u64 n) {
  ACC x = IDENTITY;
  if (i < n) x = LIFT(input[i]);
  return x;
}

#ifdef PER_ITEM
// PER_ITEM neighbours combined in index order, those behind the input's end as the identity.
DEVICE ACC neighbours_or_identity(const IN* input, u64 first, u64 n) {
  ACC sum = element_or_identity(input, first, n);
#pragma unroll
  for (u32 k = 1; k < PER_ITEM; ++k) {
    sum = COMBINE(sum, element_or_identity(input, first + k, n));
  }
  return sum;
}
#endif

// Each group leaves one result; the only group of a launch folds the initial value in.
DEVICE void write_group_result(ACC sum, ACC init, ACC* results) {
  if (gridDim.x == 1) sum = COMBINE(init, sum);
  results[blockIdx.x] = sum;
}
