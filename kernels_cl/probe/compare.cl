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

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void count_differences(
    const __global IN* left, u64 left_offset, const __global IN* right, u64 right_offset, u64 n,
    __global ACC* counts) {
  __local ACC scratch[GROUP_SIZE];
  const u64 each = n / get_num_groups(0) + (n % get_num_groups(0) != 0);
  const u64 begin = (u64)get_group_id(0) * each;
  const u64 end = begin + each < n ? begin + each : n;
  left += left_offset;
  right += right_offset;

  // --- Count in this group's part ---
  ACC different = 0;
  for (u64 i = begin + get_local_id(0); i < end; i += GROUP_SIZE) different += left[i] != right[i];

  // --- Add up the group ---
  different = group_tree(different, scratch);
  if (get_local_id(0) == 0) counts[get_group_id(0)] += different;
}
