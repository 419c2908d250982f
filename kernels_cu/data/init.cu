// Part init_host: the initial value, given by the host.
// Provides: init

#define INIT_PARAMETERS ACC given_init
#define INIT given_init

// Part init_device: the initial value, in device memory.
// Provides: init

#define INIT_PARAMETERS const VALUE *init_memory, u64 init_offset
#define INIT LIFT_INIT(init_memory[init_offset])

// Part init_counted: the initial value, given by the host, where the number of elements is in
// device memory. Without elements, another value may be the result.
// Provides: init

#define INIT_PARAMETERS \
  ACC given_init, ACC given_nothing, const COUNT_TYPE *counted_memory, u64 counted_offset
#define INIT init_of(given_init, given_nothing, counted_memory[counted_offset])

DEVICE ACC init_of(ACC init, ACC nothing, u64 count) {
  if (count == 0) init = nothing;
  return init;
}
