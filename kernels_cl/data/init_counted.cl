// Prelude: the initial value, as the host gives it, where the number of elements is in device
// memory: of nothing it may be the result, and then something else stands for it.

#define INIT_PARAMETERS \
  ACC given_init, ACC given_nothing, const __global COUNT_TYPE *counted_memory, u64 counted_offset
#define INIT init_of(given_init, given_nothing, counted_memory[counted_offset])

DEVICE ACC init_of(ACC init, ACC nothing, u64 count) {
  if (count == 0) init = nothing;
  return init;
}
