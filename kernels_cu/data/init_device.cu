// Prelude: the initial value, in device memory.

#define INIT_PARAMETERS const VALUE *init_memory, u64 init_offset
#define INIT LIFT_INIT(init_memory[init_offset])
