// Part compare: Counts the elements in which two ranges of unsigned integers differ. Long tests use
// it instead of a download. Every group takes a consecutive part and adds to a counter of its own,
// so no atomics are needed and counts accumulate over launches.
// Cost: reads each element of both ranges once; one launch; log2(GROUP_SIZE) + 1 barriers.
// Assumes a power-of-two group.
// Source: bifold.
// Provides: compare
// Uses: group_tree

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    count_differences(const IN* left, u64 left_offset, const IN* right, u64 right_offset, u64 n,
                      ACC* counts) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 each = n / gridDim.x + (n % gridDim.x != 0);
  const u64 begin = (u64)blockIdx.x * each;
  const u64 end = begin + each < n ? begin + each : n;
  left += left_offset;
  right += right_offset;

  // --- Count in this group's part ---
  ACC different = 0;
  for (u64 i = begin + threadIdx.x; i < end; i += GROUP_SIZE) different += left[i] != right[i];

  // --- Add up the group ---
  different = group_tree(different, scratch);
  if (threadIdx.x == 0) counts[blockIdx.x] += different;
}
