// Part reduce_dillhoff: The first three steps of the tutorial, each a kernel that is launched again
// over its own results, with two elements per work-item: `interleaved_simple` picks work-items by a
// modulo, `interleaved_convergent` the first ones, `shared` moves the tree to local memory. The
// listings overwrite the input, read past its end and let groups run on without a barrier after the
// load; here the first two work on a copy, whose segments end where the input does, and every step
// ends in a barrier.
// Cost: `shared` reads each element once; the others also copy it, and read two values and write
// one per combination in global memory; log2(GROUP_SIZE) + 2 barriers.
// Assumes a power-of-two group; except in `interleaved_simple`, a commutative operator.
// Source: Dillhoff 2024, after Hwu, Kirk & El Hajj, chapter 10.
// Provides: reduce_dillhoff
// Uses: levels

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 2  // Elements per work-item.
#endif

// Elements of the segment that starts at `first`.
DEVICE u32 segment_length(u64 first, u64 n) {
  return n - first < GROUP_SIZE * PER_ITEM ? (u32)(n - first) : GROUP_SIZE * PER_ITEM;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    interleaved_simple(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results,
                       u64 results_offset, ACC* work, u64 work_offset) {
  const u32 id = threadIdx.x;
  const u64 first = (u64)blockIdx.x * GROUP_SIZE * PER_ITEM;
  const u32 length = segment_length(first, n);
  input += input_offset + first;
  work += work_offset + first;

  // --- Simple: copy a segment ---
  for (u32 i = id; i < length; i += GROUP_SIZE) work[i] = LIFT(input[i]);
  __syncthreads();

  // --- Simple: combine at doubling distances, by the work-items that a modulo picks ---
  for (u32 stride = 1; stride <= GROUP_SIZE; stride *= 2) {
    const u32 i = 2 * id;
    if (id % stride == 0 && i + stride < length) work[i] = COMBINE(work[i], work[i + stride]);
    __syncthreads();
  }

  // --- Simple: write the result of the group ---
  if (id == 0) write_group_result(work[0], init, results + results_offset);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    interleaved_convergent(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results,
                           u64 results_offset, ACC* work, u64 work_offset) {
  const u32 id = threadIdx.x;
  const u64 first = (u64)blockIdx.x * GROUP_SIZE * PER_ITEM;
  const u32 length = segment_length(first, n);
  input += input_offset + first;
  work += work_offset + first;

  // --- Convergent: copy a segment ---
  for (u32 i = id; i < length; i += GROUP_SIZE) work[i] = LIFT(input[i]);
  __syncthreads();

  // --- Convergent: combine at halving distances, by the first work-items ---
  for (u32 stride = GROUP_SIZE; stride >= 1; stride /= 2) {
    if (id < stride && id + stride < length) work[id] = COMBINE(work[id], work[id + stride]);
    __syncthreads();
  }

  // --- Convergent: write the result of the group ---
  if (id == 0) write_group_result(work[0], init, results + results_offset);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shared(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results, u64 results_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u32 id = threadIdx.x;
  const u64 i = (u64)blockIdx.x * GROUP_SIZE * PER_ITEM + id;
  input += input_offset;

  // --- Shared: load two elements per work-item and combine them at once ---
  const ACC sum = element_or_identity(input, i, n);
  scratch[id] = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));
  __syncthreads();

  // --- Shared: combine at halving distances in local memory ---
  for (u32 stride = GROUP_SIZE / 2; stride >= 1; stride /= 2) {
    if (id < stride) scratch[id] = COMBINE(scratch[id], scratch[id + stride]);
    __syncthreads();
  }

  // --- Shared: write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

// Part reduce_dillhoff_atomic: The last two steps of the tutorial: `hierarchical` reduces a segment
// per group in local memory and combines the results by one atomic each, `coarsened` lets each
// work-item first accumulate more elements on its own, so that there are fewer groups. The listings
// read past the end of the input and start from an accumulator that nobody has initialised; here
// what lies behind the end counts as the identity, and a fill in the same stream goes before. Cost:
// reads each element once, one atomic per group; one launch; log2(GROUP_SIZE) + 1 barriers. Assumes
// a commutative operator and a power-of-two group. Source: Dillhoff 2024, after Hwu, Kirk & El
// Hajj, chapter 10.
// Provides: reduce_dillhoff_atomic
// Uses: levels, group_tree, atomic_accumulator

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 2  // Elements per work-item, or per COARSE_FACTOR.
#endif
#ifndef COARSE_FACTOR
#define COARSE_FACTOR 1  // Pairs of elements per work-item of `coarsened`.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    hierarchical(const IN* input, u64 input_offset, u64 n, ACC* accumulator,
                 u64 accumulator_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 i = (u64)blockIdx.x * GROUP_SIZE * PER_ITEM + threadIdx.x;
  input += input_offset;

  // --- Hierarchical: load two elements per work-item and combine them at once ---
  ACC sum = element_or_identity(input, i, n);
  sum = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));

  // --- Hierarchical: reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Hierarchical: one atomic per group ---
  if (threadIdx.x == 0) combine_into(accumulator + accumulator_offset, sum);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    coarsened(const IN* input, u64 input_offset, u64 n, ACC* accumulator, u64 accumulator_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 i = (u64)blockIdx.x * GROUP_SIZE * PER_ITEM * COARSE_FACTOR + threadIdx.x;
  input += input_offset;

  // --- Coarsened: accumulate the work-item's elements of the segment ---
  ACC sum = element_or_identity(input, i, n);
  for (u32 step = 1; step < PER_ITEM * COARSE_FACTOR; ++step) {
    sum = COMBINE(sum, element_or_identity(input, i + (u64)step * GROUP_SIZE, n));
  }

  // --- Coarsened: reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Coarsened: one atomic per group ---
  if (threadIdx.x == 0) combine_into(accumulator + accumulator_offset, sum);
}
