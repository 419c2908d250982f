// Prelude: what a work-item of a CPU device takes of a tile at once.

#define STRIP (RUN * ROW_RUNS * STRIP_ROWS)
#define ORDER_RUN (sizeof(VALUE) <= 4 ? 4 : sizeof(VALUE) <= 8 ? 2 : 1)
typedef char order_run_fits[RUN == ORDER_RUN ? 1 : -1];
