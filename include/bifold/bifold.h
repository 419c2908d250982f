/* bifold for C11, and for every language that calls C: the same library, devices and kernels.
 *
 * - Every function that can fail returns a bifold_status; bifold_last_error() says more. What a
 *   function puts out is written only when it returns BIFOLD_OK. No exception leaves it.
 * - A handle that a function puts out is given back to the matching destroy function, which takes
 *   NULL too. A handle keeps alive what it was made from, so handles may be destroyed in any order.
 *   NULL in place of a handle is BIFOLD_INVALID_ARGUMENT.
 * - Structs that may grow start with struct_size. Set it to sizeof the struct and everything
 *   unused to zero: bifold_options options = {.struct_size = sizeof options}. Another size than
 *   this library's is accepted as long as nothing it does not know is set.
 * - Texts are UTF-8 and end with a zero. A pointer to a text that a function puts out is valid as
 *   long as the handle it came from, unless something else is said.
 * - Queues, devices, plans and events may be used from several threads at once; a handle may be
 *   destroyed once no thread uses it.
 * - Functions return without waiting for the device, unless their first words are "Blocks."
 */
#ifndef BIFOLD_BIFOLD_H
#define BIFOLD_BIFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#define BIFOLD_VERSION_MAJOR 0
#define BIFOLD_VERSION_MINOR 1
#define BIFOLD_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* --- Errors --- */

typedef int32_t bifold_status;
enum {
  BIFOLD_OK = 0,
  BIFOLD_INVALID_ARGUMENT = 1, /* The call is wrong: ranges, types, handles. Nothing was written. */
  BIFOLD_UNSUPPORTED = 2,      /* The call is right, but this device or variant cannot do it. */
  BIFOLD_UNAVAILABLE = 3,      /* No such backend or device on this machine. */
  BIFOLD_BUILD_FAILURE = 4,    /* A kernel did not compile. */
  BIFOLD_OUT_OF_MEMORY = 5,    /* The device, or the host, has no room. */
  BIFOLD_TIMEOUT = 6,          /* A wait with a time limit passed it; the work goes on. */
  BIFOLD_DEVICE_LOST = 7,      /* The device is gone; its handles can only be destroyed. */
  BIFOLD_BACKEND_FAILURE = 8   /* Any other failure. */
};

/* What is known of a failure beyond its text; what does not apply is "" or 0. */
typedef struct bifold_error {
  size_t struct_size;
  bifold_status status;
  const char* message;
  const char* backend;     /* "cuda", "opencl". */
  const char* call;        /* The driver's entry point that failed. */
  int64_t native_code;     /* The driver's own error code, */
  const char* native_name; /* and its name. */
  const char* log;         /* BIFOLD_BUILD_FAILURE: what the compiler said, */
  const char* source;      /* and about which text. */
} bifold_error;

/* The message of this thread's last failure, "" when there was none. Valid until its next one. */
BIFOLD_API const char* bifold_last_error(void);
/* All of it, valid as long. */
BIFOLD_API bifold_status bifold_last_error_details(bifold_error* error);
/* "ok", "invalid_argument" and so on; "unknown" for another number. Lives for ever. */
BIFOLD_API const char* bifold_status_name(bifold_status status);

/* "MAJOR.MINOR.PATCH" of the library that runs. Lives for ever. */
BIFOLD_API const char* bifold_version(void);

typedef int32_t bifold_log_level;
enum { BIFOLD_LOG_DEBUG, BIFOLD_LOG_INFO, BIFOLD_LOG_WARNING, BIFOLD_LOG_ERROR, BIFOLD_LOG_OFF };
/* Called from whichever thread logs; must not call into bifold. */
typedef void (*bifold_log_callback)(void* user, bifold_log_level level, const char* message);
/* Sends messages of at least `level` to `callback`, process-wide; NULL silences the library. */
BIFOLD_API bifold_status bifold_set_log(bifold_log_level level, bifold_log_callback callback,
                                        void* user);

/* --- Types, operators, maps --- */

/* An element type: a built-in one, or a number from bifold_struct_type(). */
typedef int32_t bifold_type;
enum {
  BIFOLD_I8,
  BIFOLD_I16,
  BIFOLD_I32,
  BIFOLD_I64,
  BIFOLD_U8,
  BIFOLD_U16,
  BIFOLD_U32,
  BIFOLD_U64,
  BIFOLD_F32,
  BIFOLD_F64
};

/* A field of a struct: of a built-in type, `offset` bytes from the struct's start. */
typedef struct bifold_field {
  const char* name;
  bifold_type type;
  size_t offset;
} bifold_field;

/* Makes a struct an element type. Kernel texts know it and its fields by these names, and make one
 * by make_NAME(first, second, ...). The table lists every field in order, 8 at most; a struct has
 * 64 bytes at most and the layout that C gives it. Equal definitions give equal types. Nothing is
 * to be destroyed: definitions are kept for the life of the process. */
BIFOLD_API bifold_status bifold_struct_type(const char* name, size_t size,
                                            const bifold_field* fields, size_t field_count,
                                            bifold_type* type);
/* Bytes of an element; 0 for no type. */
BIFOLD_API size_t bifold_type_size(bifold_type type);

/* An associative binary operator. */
typedef struct bifold_operator bifold_operator;
typedef int32_t bifold_operator_kind;
enum {
  BIFOLD_PLUS,
  BIFOLD_MULTIPLIES,
  BIFOLD_MINIMUM, /* IEEE 754-2019: NaN propagates, -0 < +0. */
  BIFOLD_MAXIMUM,
  BIFOLD_BIT_AND,
  BIFOLD_BIT_OR,
  BIFOLD_BIT_XOR,
  BIFOLD_LOGICAL_AND,
  BIFOLD_LOGICAL_OR
};
typedef int32_t bifold_commutativity;
enum { BIFOLD_NON_COMMUTATIVE, BIFOLD_COMMUTATIVE };

/* A built-in operator, not to be destroyed; NULL for a number that is none. */
BIFOLD_API const bifold_operator* bifold_builtin_operator(bifold_operator_kind kind);
/* An operator written once for every backend: an expression over `a`, the earlier operand, and `b`,
 * the later one. `identity` points to its neutral element, of `type`. Operands keep their order
 * unless it is declared commutative. A mistake that only a compiler sees is a BIFOLD_BUILD_FAILURE
 * at the first use. */
BIFOLD_API bifold_status bifold_operator_create(const char* name, const char* expression,
                                                bifold_type type, const void* identity,
                                                bifold_commutativity commutativity,
                                                bifold_operator** op);
/* Combines each field of a struct type by the built-in operator of the same place. */
BIFOLD_API bifold_status bifold_operator_create_fieldwise(bifold_type type,
                                                          const bifold_operator* const* operators,
                                                          size_t count, bifold_operator** op);
/* Writes the neutral element of `type`. */
BIFOLD_API bifold_status bifold_operator_identity(const bifold_operator* op, bifold_type type,
                                                  void* identity);
BIFOLD_API void bifold_operator_destroy(bifold_operator* op);

/* A function of one element: an expression over `x`. */
typedef struct bifold_map bifold_map;
BIFOLD_API bifold_status bifold_map_create(const char* expression, bifold_map** map);
BIFOLD_API void bifold_map_destroy(bifold_map* map);

/* --- Backends and devices --- */

typedef struct bifold_backend_list bifold_backend_list;
typedef struct bifold_backend_info {
  size_t struct_size;
  const char* name;
  const char* reason;  /* Why it has no device; "" when it has one. */
  const char* version; /* Of driver and compiler, as far as they are known. */
  bool available;
} bifold_backend_info;
/* Every backend the library knows. A missing driver is no failure. */
BIFOLD_API bifold_status bifold_backend_list_create(bifold_backend_list** list);
BIFOLD_API size_t bifold_backend_list_size(const bifold_backend_list* list);
BIFOLD_API bifold_status bifold_backend_list_get(const bifold_backend_list* list, size_t index,
                                                 bifold_backend_info* info);
BIFOLD_API void bifold_backend_list_destroy(bifold_backend_list* list);

typedef int32_t bifold_device_kind;
enum { BIFOLD_GPU, BIFOLD_CPU, BIFOLD_ACCELERATOR };
typedef struct bifold_device_info {
  size_t struct_size;
  const char* selector; /* Opens exactly this device: "opencl:1". */
  const char* backend;
  const char* name;
  const char* vendor;
  const char* platform;
  const char* driver;
  uint32_t index; /* Over all platforms of the backend. */
  bifold_device_kind kind;
} bifold_device_info;
typedef struct bifold_device_list bifold_device_list;
/* Every device of every available backend. Opens none of them. */
BIFOLD_API bifold_status bifold_device_list_create(bifold_device_list** list);
BIFOLD_API size_t bifold_device_list_size(const bifold_device_list* list);
BIFOLD_API bifold_status bifold_device_list_get(const bifold_device_list* list, size_t index,
                                                bifold_device_info* info);
BIFOLD_API void bifold_device_list_destroy(bifold_device_list* list);

/* An open device: a context, its capabilities, its compiled kernels. */
typedef struct bifold_device bifold_device;
typedef struct bifold_device_options {
  size_t struct_size;
  const char*
      cache_directory; /* NULL: $BIFOLD_CACHE_DIR, $XDG_CACHE_HOME/bifold, ~/.cache/bifold. */
  uint64_t cache_limit_bytes; /* 0: 256 MiB. */
  bool no_disk_cache;         /* Compiled kernels are kept in memory only. */
} bifold_device_options;
/* Opens what `selector` names, as "cuda:0", "opencl:cpu", "opencl:nvidia"; NULL or "": the device
 * that $BIFOLD_DEVICE names, or the best there is. `options` may be NULL. */
BIFOLD_API bifold_status bifold_device_open(const char* selector,
                                            const bifold_device_options* options,
                                            bifold_device** device);
BIFOLD_API bifold_status bifold_device_get_info(const bifold_device* device,
                                                bifold_device_info* info);
typedef struct bifold_capabilities {
  size_t struct_size;
  uint64_t global_bytes;
  uint64_t max_allocation_bytes;
  uint64_t local_bytes;
  uint64_t cache_bytes; /* 0: unknown. */
  uint32_t compute_units;
  uint32_t max_group_size;
  uint32_t subgroup_width; /* 0: work-items exchange no registers. */
  bool f64;
  bool f16;
  bool atomics64;
  bool unified_memory;
  const char* architecture; /* "sm_90", or "". */
} bifold_capabilities;
BIFOLD_API bifold_status bifold_device_get_capabilities(const bifold_device* device,
                                                        bifold_capabilities* capabilities);
BIFOLD_API void bifold_device_destroy(bifold_device* device);

/* --- Queues, memory, events --- */

/* In-order work on a device. */
typedef struct bifold_queue bifold_queue;
/* "The work enqueued up to here is done." */
typedef struct bifold_event bifold_event;
/* Device memory. */
typedef struct bifold_buffer bifold_buffer;

/* A range of device memory: `count` elements of `type`, from element `offset` on. */
typedef struct bifold_view {
  bifold_buffer* buffer;
  bifold_type type;
  uint64_t offset;
  uint64_t count;
} bifold_view;

typedef struct bifold_queue_options {
  size_t struct_size;
  bool timing; /* bifold_event_elapsed() works on this queue's events. */
} bifold_queue_options;

/* A time limit, in nanoseconds, that never ends. */
#define BIFOLD_NO_LIMIT UINT64_MAX

/* `options` may be NULL. */
BIFOLD_API bifold_status bifold_queue_create(const bifold_device* device,
                                             const bifold_queue_options* options,
                                             bifold_queue** queue);
/* Blocks. Until everything enqueued so far is done; BIFOLD_TIMEOUT after `limit_ns`. */
BIFOLD_API bifold_status bifold_queue_finish(bifold_queue* queue, uint64_t limit_ns);
/* Blocks. Until everything enqueued so far is done; then frees the queue's scratch memory. */
BIFOLD_API bifold_status bifold_queue_trim(bifold_queue* queue);
/* An event that completes when everything enqueued so far is done. */
BIFOLD_API bifold_status bifold_queue_record(bifold_queue* queue, bifold_event** event);
/* What is enqueued from now on starts after the events. */
BIFOLD_API bifold_status bifold_queue_wait_for(bifold_queue* queue, bifold_event* const* events,
                                               size_t count);
BIFOLD_API void bifold_queue_destroy(bifold_queue* queue);

/* Uninitialised memory; 0 bytes are allowed. */
BIFOLD_API bifold_status bifold_buffer_create(const bifold_device* device, uint64_t bytes,
                                              bifold_buffer** buffer);
BIFOLD_API uint64_t bifold_buffer_size(const bifold_buffer* buffer);
/* May wait for work that still uses the memory. */
BIFOLD_API void bifold_buffer_destroy(bifold_buffer* buffer);

/* Blocks. Until the host's elements, as many as the view's, have been read. */
BIFOLD_API bifold_status bifold_upload(bifold_queue* queue, const void* from, bifold_view to);
/* Blocks. Until the elements have arrived. */
BIFOLD_API bifold_status bifold_download(bifold_queue* queue, bifold_view from, void* to);
/* Views of the same type and count that do not overlap. */
BIFOLD_API bifold_status bifold_copy(bifold_queue* queue, bifold_view from, bifold_view to);
/* Sets every element to the one at `value`. */
BIFOLD_API bifold_status bifold_fill(bifold_queue* queue, bifold_view view, const void* value);

/* Blocks. Until the work is done; BIFOLD_TIMEOUT after `limit_ns`. */
BIFOLD_API bifold_status bifold_event_wait(const bifold_event* event, uint64_t limit_ns);
BIFOLD_API bifold_status bifold_event_complete(const bifold_event* event, bool* complete);
/* Seconds of device time between two complete events of one queue made with timing. */
BIFOLD_API bifold_status bifold_event_elapsed(const bifold_event* earlier,
                                              const bifold_event* later, double* seconds);
BIFOLD_API void bifold_event_destroy(bifold_event* event);

/* Scratch memory in place of the queue's own, for one call at a time. Prepared, its content belongs
 * to bifold until it is released, and calls save a fill. */
typedef struct bifold_workspace bifold_workspace;
/* `memory` is a view of BIFOLD_U8; bifold_plan_workspace_bytes() tells the size. */
BIFOLD_API bifold_status bifold_workspace_create(bifold_view memory, bifold_workspace** workspace);
BIFOLD_API bifold_status bifold_workspace_prepare(bifold_workspace* workspace, bifold_queue* queue);
BIFOLD_API bifold_status bifold_workspace_release(bifold_workspace* workspace);
BIFOLD_API void bifold_workspace_destroy(bifold_workspace* workspace);

/* --- Reduce and scan --- */

/* Everything about a call that has a default, which is zero. */
typedef struct bifold_options {
  size_t struct_size;
  bifold_event* const* wait; /* The call starts after these. */
  size_t wait_count;
  bifold_event** done;               /* Receives a new event, the call's completion. */
  const bifold_workspace* workspace; /* Scratch to use instead of the queue's own. */
  const char* variant;               /* A row of the gallery; NULL: "production". */
  const bifold_type* accumulate;     /* Scans: the accumulator's type; NULL: the output's. */
} bifold_options;

/* `options` may be NULL in all of these. `init` points to a value of the accumulator's type, which
 * is folded in exactly once; NULL: the operator's identity. */

/* Blocks. *result = op(init, reduction of input), accumulated in `type`, the type of both. */
BIFOLD_API bifold_status bifold_reduce(bifold_queue* queue, bifold_view input,
                                       const bifold_operator* op, bifold_type type,
                                       const void* init, void* result,
                                       const bifold_options* options);
/* Blocks. The same of map(x) over the input. */
BIFOLD_API bifold_status bifold_transform_reduce(bifold_queue* queue, bifold_view input,
                                                 const bifold_operator* op, const bifold_map* map,
                                                 bifold_type type, const void* init, void* result,
                                                 const bifold_options* options);
/* Enqueues the reduction into the one element of `result`, whose type is the accumulator's. */
BIFOLD_API bifold_status bifold_reduce_into(bifold_queue* queue, bifold_view input,
                                            bifold_view result, const bifold_operator* op,
                                            const void* init, const bifold_options* options);
BIFOLD_API bifold_status bifold_transform_reduce_into(bifold_queue* queue, bifold_view input,
                                                      bifold_view result, const bifold_operator* op,
                                                      const bifold_map* map, const void* init,
                                                      const bifold_options* options);
/* Enqueues output[i] = op over init, input[0], ..., input[i]. In place is allowed; here `init` is
 * of the output's type. */
BIFOLD_API bifold_status bifold_inclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);
/* The same up to input[i - 1]; output[0] = init. */
BIFOLD_API bifold_status bifold_exclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);

/* A reduction or a scan made ready for a device: variant chosen, kernels built. */
typedef struct bifold_plan bifold_plan;
typedef struct bifold_reduce_shape {
  size_t struct_size;
  const bifold_operator* op;
  const bifold_map* map; /* NULL: none. */
  const char* variant;   /* NULL: "production". */
  bifold_type input;
  bifold_type accumulator;
} bifold_reduce_shape;
typedef int32_t bifold_scan_kind;
enum { BIFOLD_INCLUSIVE, BIFOLD_EXCLUSIVE };
typedef struct bifold_scan_shape {
  size_t struct_size;
  const bifold_operator* op;
  const char* variant; /* NULL: "production". */
  bifold_type input;
  bifold_type output;
  bifold_type accumulator;
  bifold_scan_kind kind;
} bifold_scan_shape;
/* May compile. */
BIFOLD_API bifold_status bifold_reduce_plan_create(const bifold_device* device,
                                                   const bifold_reduce_shape* shape,
                                                   bifold_plan** plan);
BIFOLD_API bifold_status bifold_scan_plan_create(const bifold_device* device,
                                                 const bifold_scan_shape* shape,
                                                 bifold_plan** plan);
/* The row that runs; "" for NULL. */
BIFOLD_API const char* bifold_plan_variant(const bifold_plan* plan);
/* Bytes of workspace for any input of up to `n` elements. */
BIFOLD_API bifold_status bifold_plan_workspace_bytes(const bifold_plan* plan, uint64_t n,
                                                     uint64_t* bytes);
/* Enqueues the plan. The options' variant and accumulate are not looked at. */
BIFOLD_API bifold_status bifold_plan_run(const bifold_plan* plan, bifold_queue* queue,
                                         bifold_view input, bifold_view output, const void* init,
                                         const bifold_options* options);
BIFOLD_API void bifold_plan_destroy(bifold_plan* plan);

/* --- Inside an OpenCL application ---
 *
 * The application's objects, passed as what cl_context and the like are: pointers. bifold retains
 * the context, queues and events until the handles and all that was made of them are destroyed,
 * and changes nothing of them. <bifold/interop/opencl.hpp> says more of each; the functions below
 * are those, and fail with BIFOLD_UNAVAILABLE where the backend was left out of the build. */

/* A device of the context; adopt once and keep it. `options` may be NULL. */
BIFOLD_API bifold_status bifold_opencl_adopt_device(void* cl_context, void* cl_device_id,
                                                    const bifold_device_options* options,
                                                    bifold_device** device);
/* A queue of the device's context, in order or not. Calls enqueue, and do not flush. */
BIFOLD_API bifold_status bifold_opencl_adopt_queue(void* cl_command_queue,
                                                   const bifold_device* device,
                                                   bifold_queue** queue);
/* A buffer object, which must outlive the work that uses it: it is not retained. */
BIFOLD_API bifold_status bifold_opencl_adopt_buffer(void* cl_mem, bifold_buffer** buffer);
/* `bytes` bytes of shared virtual memory of the device's context. */
BIFOLD_API bifold_status bifold_opencl_adopt_svm(const bifold_device* device, void* pointer,
                                                 uint64_t bytes, bifold_buffer** buffer);
/* An event, for wait lists and waits. */
BIFOLD_API bifold_status bifold_opencl_adopt_event(void* cl_event, bifold_event** event);
/* Puts out the cl_event behind an event, retained for the caller, who releases it. */
BIFOLD_API bifold_status bifold_opencl_native_event(const bifold_event* event, void** cl_event);

/* --- Inside a CUDA application ---
 *
 * The driver's objects, which the runtime's are too. Nothing is retained: they outlive the work
 * that uses them, and the context every handle made on it. <bifold/interop/cuda.hpp> says more. */

/* A device that works in the context. `options` may be NULL. */
BIFOLD_API bifold_status bifold_cuda_adopt_device(void* cu_context,
                                                  const bifold_device_options* options,
                                                  bifold_device** device);
/* The same for the context that is current on this thread, such as the runtime's. */
BIFOLD_API bifold_status bifold_cuda_adopt_current_device(const bifold_device_options* options,
                                                          bifold_device** device);
/* A stream of the device's context; NULL is its legacy default stream. `options` may be NULL. */
BIFOLD_API bifold_status bifold_cuda_adopt_queue(void* cu_stream, const bifold_device* device,
                                                 const bifold_queue_options* options,
                                                 bifold_queue** queue);
/* `bytes` bytes from a device address, page-locked or managed pointer on. */
BIFOLD_API bifold_status bifold_cuda_adopt_buffer(uint64_t address, uint64_t bytes,
                                                  bifold_buffer** buffer);
/* An event, for wait lists: what was last recorded into it when a call waits for it. */
BIFOLD_API bifold_status bifold_cuda_adopt_event(void* cu_event, bifold_event** event);
/* Puts out the CUevent behind an event, which keeps it. */
BIFOLD_API bifold_status bifold_cuda_native_event(const bifold_event* event, void** cu_event);
/* Records the application's event behind everything enqueued so far. */
BIFOLD_API bifold_status bifold_cuda_record(bifold_queue* queue, void* cu_event);

#ifdef __cplusplus
}
#endif

#endif
