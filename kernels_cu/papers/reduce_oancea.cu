// Part reduce_oancea: Reductions of the course notes, each a kernel that is launched again over its
// own results. `tree`: a level of a binary tree per launch, log2(n) launches. `block`: a group
// reduces as many elements as it has work-items in local memory. `chunked`: a fixed number of
// work-items, each of which reduces one consecutive chunk; on a GPU its loads do not coalesce,
// which is its lesson. The notes take lengths that divide evenly; here a last odd element is handed
// on and what lies behind the end counts as the identity. All three combine neighbours, so index
// order is kept.
// Cost: `tree` reads 2 and writes 1 value per element, the others read each element once and leave
// one value per group; log2(GROUP_SIZE) + 1 barriers in `block` and `chunked`.
// Assumes a power-of-two group.
// Source: Oancea & Henriksen 2023.
// Provides: reduce_oancea
// Uses: levels

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 1  // Elements per work-item: 2 in `tree`, and in groups of one.
#endif

// Combines the values of the group in index order, neighbours first; the result is scratch[0].
DEVICE void neighbour_tree(ACC* scratch) {
  const u32 id = threadIdx.x;
  __syncthreads();
  for (u32 distance = 1; distance < GROUP_SIZE; distance *= 2) {
    const u32 slot = 2 * distance * id;
    if (slot < GROUP_SIZE) scratch[slot] = COMBINE(scratch[slot], scratch[slot + distance]);
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    tree(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results, u64 results_offset) {
  const u64 item = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x;
  const u64 first = item * PER_ITEM;
  input += input_offset;

  // --- Tree: combine neighbours; every work-item leaves a result ---
  if (first < n) {
    ACC sum = LIFT(input[first]);
#pragma unroll
    for (u32 k = 1; k < PER_ITEM; ++k) {
      if (first + k < n) sum = COMBINE(sum, LIFT(input[first + k]));
    }
    if (n <= PER_ITEM) sum = COMBINE(init, sum);
    results[results_offset + item] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    block(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results, u64 results_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u32 id = threadIdx.x;
  const u64 i = (u64)blockIdx.x * GROUP_SIZE + id;

  // --- Block: load one element per work-item ---
  scratch[id] = neighbours_or_identity(input + input_offset, i * PER_ITEM, n);

  // --- Block: combine neighbours in local memory ---
  neighbour_tree(scratch);

  // --- Block: write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    chunked(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results, u64 results_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 items = (u64)gridDim.x * GROUP_SIZE;
  const u64 chunk = n / items + (n % items != 0);
  const u64 begin = ((u64)blockIdx.x * GROUP_SIZE + threadIdx.x) * chunk;
  const u64 end = begin + chunk < n ? begin + chunk : n;
  input += input_offset;

  // --- Chunked: reduce an own chunk, element after element ---
  ACC sum = IDENTITY;
  for (u64 i = begin; i < end; ++i) sum = COMBINE(sum, LIFT(input[i]));

  // --- Chunked: combine neighbours in local memory ---
  scratch[threadIdx.x] = sum;
  neighbour_tree(scratch);

  // --- Chunked: write the result of the group ---
  if (threadIdx.x == 0) write_group_result(scratch[0], init, results + results_offset);
}

// Part reduce_oancea_atomic: The shortest reduction of the course notes: every work-item combines
// its element into the result by an atomic. All of them queue for one word, which is what it is
// there to show. The notes have it for types with an atomic sum of their own; here any operator on
// at most 8 bytes works, by compare and exchange where the device has nothing better.
// Cost: reads each element once, one atomic per element; one launch; no barrier.
// Assumes a commutative operator.
// Source: Oancea & Henriksen 2023.
// Provides: reduce_oancea_atomic
// Uses: atomic_accumulator

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    combine_each(const IN* input, u64 input_offset, u64 n, ACC* accumulator,
                 u64 accumulator_offset) {
  const u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x;

  // --- One atomic per element ---
  if (i < n) combine_into(accumulator + accumulator_offset, LIFT(input[input_offset + i]));
}
