// Part image_check: What a program needs of a driver that runs it: parameters of each kind, a
// required number of threads, more shared memory than drivers advertise. Word GROUP_SIZE - 1 - i
// from `first` on, times a factor and with something added, becomes word i.
// Cost: one block; one barrier.
// Source: bifold.
// Provides: image_check

#ifndef GROUP_SIZE
#define GROUP_SIZE 288  // Threads of the block.
#endif
#ifndef LOCAL_WORDS
#define LOCAL_WORDS 2048  // Words of shared memory beside one, at least GROUP_SIZE.
#endif

typedef struct {
  u64 factor;
  u64 added;
} ImageCheckPlaces;

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    image_check(const u64* input, u64 first, ImageCheckPlaces places, u64* output) {
  extern __shared__ __align__(128) u64 words[];
  __shared__ u64 factor;

  // --- Into local memory, at its end ---
  const u64 item = threadIdx.x;
  if (item == 0) factor = places.factor;
  words[LOCAL_WORDS - 1 - item] = input[first + item];
  __syncthreads();

  // --- Out of it, in the other order ---
  output[item] = words[LOCAL_WORDS - GROUP_SIZE + item] * factor + places.added;
}
