// Prelude: the two ends of a kernel that is launched again over its own results.

// An element of the input, or the identity behind the input's end.
DEVICE ACC element_or_identity(const IN* input, u64 i, u64 n) {
  ACC x = IDENTITY;
  if (i < n) x = LIFT(input[i]);
  return x;
}

// Each group leaves one result; the only group of a launch folds the initial value in.
DEVICE void write_group_result(ACC sum, ACC init, ACC* results) {
  if (gridDim.x == 1) sum = COMBINE(init, sum);
  results[blockIdx.x] = sum;
}
