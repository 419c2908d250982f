/** @file
 * bifold for C11, and for every language that calls C: the same library, devices and kernels.
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
 * - Functions return without waiting for the device, unless their first word is "Blocks".
 */
#ifndef BIFOLD_BIFOLD_H
#define BIFOLD_BIFOLD_H

#include <bifold/c_base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_devices
 * @{ */

/** Backends, as they were when the list was made. */
typedef struct bifold_backend_list bifold_backend_list;
/** A backend; texts are the list's. */
typedef struct bifold_backend_info {
  size_t struct_size;  /**< sizeof(bifold_backend_info). */
  const char* name;    /**< "cuda" or "opencl". */
  const char* reason;  /**< Why it has no device; "" when it has one. */
  const char* version; /**< Of driver and compiler, as far as they are known. */
  bool available;      /**< Whether it has a device. */
} bifold_backend_info;
/** Every backend the library knows. A missing driver is no failure. */
BIFOLD_API bifold_status bifold_backend_list_create(bifold_backend_list** list);
/** Entries of the list; 0 for NULL. */
BIFOLD_API size_t bifold_backend_list_size(const bifold_backend_list* list);
/** The entry of that index. */
BIFOLD_API bifold_status bifold_backend_list_get(const bifold_backend_list* list, size_t index,
                                                 bifold_backend_info* info);
/** Gives the list back. */
BIFOLD_API void bifold_backend_list_destroy(bifold_backend_list* list);

/** What a device is. */
typedef int32_t bifold_device_kind;
/** Kinds of device. */
enum {
  BIFOLD_GPU,        /**< A graphics processor. */
  BIFOLD_CPU,        /**< The host's own processor. */
  BIFOLD_ACCELERATOR /**< Anything else that a driver offers. */
};
/** Identity of a device; texts are the list's or the device's. */
typedef struct bifold_device_info {
  size_t struct_size;      /**< sizeof(bifold_device_info). */
  const char* selector;    /**< Opens exactly this device, unless it was adopted: "opencl:1". */
  const char* backend;     /**< "cuda" or "opencl". */
  const char* name;        /**< As the driver calls it. */
  const char* vendor;      /**< As the driver calls it. */
  const char* platform;    /**< Platform name and version (OpenCL), or the runtime's. */
  const char* driver;      /**< Driver version. */
  uint32_t index;          /**< Over all platforms of the backend; UINT32_MAX if unknown. */
  bifold_device_kind kind; /**< What it is. */
} bifold_device_info;
/** Devices, as they were when the list was made. */
typedef struct bifold_device_list bifold_device_list;
/** Every device of every available backend. Opens none of them. */
BIFOLD_API bifold_status bifold_device_list_create(bifold_device_list** list);
/** Entries of the list; 0 for NULL. */
BIFOLD_API size_t bifold_device_list_size(const bifold_device_list* list);
/** The entry of that index. */
BIFOLD_API bifold_status bifold_device_list_get(const bifold_device_list* list, size_t index,
                                                bifold_device_info* info);
/** Gives the list back. */
BIFOLD_API void bifold_device_list_destroy(bifold_device_list* list);

/** An open device: a context, its capabilities, its compiled kernels. */
typedef struct bifold_device bifold_device;
/** Where the device keeps compiled kernels between runs. */
typedef struct bifold_device_options {
  size_t struct_size; /**< sizeof(bifold_device_options). */
  /** NULL: $BIFOLD_CACHE_DIR, else $XDG_CACHE_HOME/bifold, else ~/.cache/bifold. */
  const char* cache_directory;
  uint64_t cache_limit_bytes; /**< Oldest files go beyond this; 0: 256 MiB. */
  bool no_disk_cache;         /**< Compiled kernels are kept in memory only. */
} bifold_device_options;
/** Opens what `selector` names, as "cuda:0", "opencl:cpu", "opencl:nvidia"; NULL or "": the device
 * that $BIFOLD_DEVICE names, or the best there is. `options` may be NULL. */
BIFOLD_API bifold_status bifold_device_open(const char* selector,
                                            const bifold_device_options* options,
                                            bifold_device** device);
/** Which device this is. */
BIFOLD_API bifold_status bifold_device_get_info(const bifold_device* device,
                                                bifold_device_info* info);
/** What a device can do. */
typedef struct bifold_capabilities {
  size_t struct_size;            /**< sizeof(bifold_capabilities). */
  uint64_t global_bytes;         /**< Device memory, in bytes. */
  uint64_t max_allocation_bytes; /**< Largest single buffer, in bytes. */
  uint64_t local_bytes;          /**< Local (shared) memory per work-group, in bytes. */
  uint64_t cache_bytes;          /**< Last-level cache, in bytes; 0: unknown. */
  uint32_t compute_units;        /**< Multiprocessors, or cores. */
  uint32_t max_group_size;       /**< Work-items of a work-group, at most. */
  uint32_t subgroup_width;       /**< Work-items that exchange registers; 0: none do. */
  bool f64;                      /**< Computes in 64-bit floating point. */
  bool f16;                      /**< Computes in 16-bit floating point. */
  bool atomics64;                /**< 64-bit integer atomics on global memory. */
  bool unified_memory;           /**< Device memory is the host's. */
  const char* architecture;      /**< "sm_90", or "". */
} bifold_capabilities;
/** What the device can do. */
BIFOLD_API bifold_status bifold_device_get_capabilities(const bifold_device* device,
                                                        bifold_capabilities* capabilities);
/** Gives the device back. */
BIFOLD_API void bifold_device_destroy(bifold_device* device);

/** @} */

/** @addtogroup c_queues
 * @{ */

/** In-order work on a device. */
typedef struct bifold_queue bifold_queue;
/** "The work enqueued up to here is done." */
typedef struct bifold_event bifold_event;
/** Device memory. */
typedef struct bifold_buffer bifold_buffer;

/** A range of device memory: `count` elements of `type`, from element `offset` on. */
typedef struct bifold_view {
  bifold_buffer* buffer; /**< Not kept alive by the view. */
  bifold_type type;      /**< Of the elements. */
  uint64_t offset;       /**< From the buffer's start, in elements. */
  uint64_t count;        /**< In elements. */
} bifold_view;

/** Everything about making a queue that has a default, which is zero. */
typedef struct bifold_queue_options {
  size_t struct_size; /**< sizeof(bifold_queue_options). */
  bool timing;        /**< bifold_event_elapsed() works on this queue's events. */
} bifold_queue_options;

/** A time limit, in nanoseconds, that never ends. */
#define BIFOLD_NO_LIMIT UINT64_MAX

/** A new queue of the device. `options` may be NULL. */
BIFOLD_API bifold_status bifold_queue_create(const bifold_device* device,
                                             const bifold_queue_options* options,
                                             bifold_queue** queue);
/** Blocks until everything enqueued so far is done; BIFOLD_TIMEOUT after `limit_ns`. */
BIFOLD_API bifold_status bifold_queue_finish(bifold_queue* queue, uint64_t limit_ns);
/** Blocks until everything enqueued so far is done; then frees the queue's scratch memory. */
BIFOLD_API bifold_status bifold_queue_trim(bifold_queue* queue);
/** An event that completes when everything enqueued so far is done. */
BIFOLD_API bifold_status bifold_queue_record(bifold_queue* queue, bifold_event** event);
/** What is enqueued from now on starts after the events, `count` of the same backend. */
BIFOLD_API bifold_status bifold_queue_wait_for(bifold_queue* queue, bifold_event* const* events,
                                               size_t count);
/** Gives the queue back. May wait for work that uses its scratch memory. */
BIFOLD_API void bifold_queue_destroy(bifold_queue* queue);

/** Uninitialised memory; 0 bytes are allowed. */
BIFOLD_API bifold_status bifold_buffer_create(const bifold_device* device, uint64_t bytes,
                                              bifold_buffer** buffer);
/** In bytes; 0 for NULL. */
BIFOLD_API uint64_t bifold_buffer_size(const bifold_buffer* buffer);
/** Gives the buffer back. May wait for work that still uses memory that bifold allocated. */
BIFOLD_API void bifold_buffer_destroy(bifold_buffer* buffer);

/** Blocks until the host's elements, as many as the view's, have been read. */
BIFOLD_API bifold_status bifold_upload(bifold_queue* queue, const void* from, bifold_view to);
/** Blocks until the elements have arrived. */
BIFOLD_API bifold_status bifold_download(bifold_queue* queue, bifold_view from, void* to);
/** Enqueues a copy between views of the same type and count that do not overlap. */
BIFOLD_API bifold_status bifold_copy(bifold_queue* queue, bifold_view from, bifold_view to);
/** Enqueues the filling of every element with the one at `value`, of the view's type. */
BIFOLD_API bifold_status bifold_fill(bifold_queue* queue, bifold_view view, const void* value);

/** Blocks until the work is done; BIFOLD_TIMEOUT after `limit_ns`, the failure where it failed. */
BIFOLD_API bifold_status bifold_event_wait(const bifold_event* event, uint64_t limit_ns);
/** Whether the work is done; the failure where it failed. */
BIFOLD_API bifold_status bifold_event_complete(const bifold_event* event, bool* complete);
/** Seconds of device time between two complete events of one queue made with timing. */
BIFOLD_API bifold_status bifold_event_elapsed(const bifold_event* earlier,
                                              const bifold_event* later, double* seconds);
/** Gives the event back. */
BIFOLD_API void bifold_event_destroy(bifold_event* event);

/** Scratch memory in place of the queue's own, for one call at a time. Prepared, its content
 * belongs to bifold until it is released, and calls save a fill. */
typedef struct bifold_workspace bifold_workspace;
/** Raw scratch memory, which may hold anything. `memory` is a view of BIFOLD_U8;
 * bifold_plan_workspace_bytes() tells the size. */
BIFOLD_API bifold_status bifold_workspace_create(bifold_view memory, bifold_workspace** workspace);
/** Enqueues the fill that later calls then save; BIFOLD_UNSUPPORTED in a captured stream. */
BIFOLD_API bifold_status bifold_workspace_prepare(bifold_workspace* workspace, bifold_queue* queue);
/** Makes the workspace raw again: its memory may be used for anything once work on it is done. */
BIFOLD_API bifold_status bifold_workspace_release(bifold_workspace* workspace);
/** Gives the workspace back, not the memory that it was made of. */
BIFOLD_API void bifold_workspace_destroy(bifold_workspace* workspace);

/** @} */

/** @addtogroup c_calls
 *
 * `options` may be NULL in all of these. `init` points to a value of the accumulator's type, which
 * is folded in exactly once; NULL: the operator's identity.
 * @{ */

/** Everything about a call that has a default, which is zero. */
typedef struct bifold_options {
  size_t struct_size;                /**< sizeof(bifold_options). */
  bifold_event* const* wait;         /**< The call starts after these. */
  size_t wait_count;                 /**< How many there are. */
  bifold_event** done;               /**< Receives a new event, the call's completion. */
  const bifold_workspace* workspace; /**< Scratch to use instead of the queue's own. */
  const char* variant;               /**< A row of the gallery; NULL: "production". */
  const bifold_type* accumulate;     /**< Scans: the accumulator's type; NULL: the output's. */
  /** n, read from device memory when the call runs: a view of one BIFOLD_U32 or BIFOLD_U64. The
   * input's count is then the most there can be, and what a larger n counts as. NULL: none. */
  const bifold_view* count_from;
  /** The initial value, read from device memory when the call runs, in place of the call's: a view
   * of one element of the accumulator's type; a reduction's may be its result. NULL: none. */
  const bifold_view* init_from;
  /** Scans: receives op(init, all of the input) in device memory: a view of one element of the
   * accumulator's type. NULL: none. */
  const bifold_view* total;
} bifold_options;

/** Blocks until *result is op(init, reduction of input), accumulated in `type`, as both are. */
BIFOLD_API bifold_status bifold_reduce(bifold_queue* queue, bifold_view input,
                                       const bifold_operator* op, bifold_type type,
                                       const void* init, void* result,
                                       const bifold_options* options);
/** Blocks until *result is op(init, reduction of map(x) over the input), accumulated in `type`. */
BIFOLD_API bifold_status bifold_transform_reduce(bifold_queue* queue, bifold_view input,
                                                 const bifold_operator* op, const bifold_map* map,
                                                 bifold_type type, const void* init, void* result,
                                                 const bifold_options* options);
/** Enqueues the reduction into the one element of `result`, whose type is the accumulator's. */
BIFOLD_API bifold_status bifold_reduce_into(bifold_queue* queue, bifold_view input,
                                            bifold_view result, const bifold_operator* op,
                                            const void* init, const bifold_options* options);
/** Enqueues the reduction of map(x) over the input into the one element of `result`. */
BIFOLD_API bifold_status bifold_transform_reduce_into(bifold_queue* queue, bifold_view input,
                                                      bifold_view result, const bifold_operator* op,
                                                      const bifold_map* map, const void* init,
                                                      const bifold_options* options);
/** Enqueues output[i] = op over init, input[0], ..., input[i]. In place is allowed; here `init` is
 * of the output's type. */
BIFOLD_API bifold_status bifold_inclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);
/** Enqueues output[i] = op over init, input[0], ..., input[i - 1]; output[0] is init. Otherwise as
 * bifold_inclusive_scan(). */
BIFOLD_API bifold_status bifold_exclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);

/** What the options of a plan's calls will name in device memory: a sum of these. */
typedef uint32_t bifold_device_values;
/** Values in device memory. */
enum {
  BIFOLD_COUNT_U32 = 1, /**< `count_from`, of that type. */
  BIFOLD_COUNT_U64 = 2, /**< `count_from`, of that type. */
  BIFOLD_INIT = 4,      /**< `init_from`. */
  BIFOLD_TOTAL = 8      /**< `total`. */
};

/** A reduction or a scan made ready for a device: variant chosen, kernels built. */
typedef struct bifold_plan bifold_plan;
/** What a reduction is, apart from its data. */
typedef struct bifold_reduce_shape {
  size_t struct_size;             /**< sizeof(bifold_reduce_shape). */
  const bifold_operator* op;      /**< Defined on the accumulator. */
  const bifold_map* map;          /**< Applied to each element; NULL: none. */
  const char* variant;            /**< A row of the gallery; NULL: "production". */
  bifold_type input;              /**< Of the elements read. */
  bifold_type accumulator;        /**< Of the initial value and the result. */
  bifold_device_values on_device; /**< What the calls' options will name; 0: nothing. */
} bifold_reduce_shape;
/** Whether an output takes in the element of its own index. */
typedef int32_t bifold_scan_kind;
/** Kinds of scan. */
enum {
  BIFOLD_INCLUSIVE, /**< It does. */
  BIFOLD_EXCLUSIVE  /**< It ends with the element before. */
};
/** What a scan is, apart from its data. */
typedef struct bifold_scan_shape {
  size_t struct_size;             /**< sizeof(bifold_scan_shape). */
  const bifold_operator* op;      /**< Defined on the accumulator. */
  const char* variant;            /**< A row of the gallery; NULL: "production". */
  bifold_type input;              /**< Of the elements read. */
  bifold_type output;             /**< Of the elements written. */
  bifold_type accumulator;        /**< Of the initial value and of partial results. */
  bifold_scan_kind kind;          /**< Whether output i takes in input i. */
  bifold_device_values on_device; /**< What the calls' options will name; 0: nothing. */
} bifold_scan_shape;
/** A plan of the reduction. May compile. BIFOLD_UNSUPPORTED when the device cannot run it. */
BIFOLD_API bifold_status bifold_reduce_plan_create(const bifold_device* device,
                                                   const bifold_reduce_shape* shape,
                                                   bifold_plan** plan);
/** A plan of the scan. May compile. BIFOLD_UNSUPPORTED when the device cannot run it. */
BIFOLD_API bifold_status bifold_scan_plan_create(const bifold_device* device,
                                                 const bifold_scan_shape* shape,
                                                 bifold_plan** plan);
/** The name of the row that runs; "" for NULL. */
BIFOLD_API const char* bifold_plan_variant(const bifold_plan* plan);
/** Bytes of workspace for any input of up to `n` elements. Touches no device. */
BIFOLD_API bifold_status bifold_plan_workspace_bytes(const bifold_plan* plan, uint64_t n,
                                                     uint64_t* bytes);
/** Enqueues the plan on views of its types; `init` is of the accumulator's. The options' variant
 * and accumulate are not looked at. */
BIFOLD_API bifold_status bifold_plan_run(const bifold_plan* plan, bifold_queue* queue,
                                         bifold_view input, bifold_view output, const void* init,
                                         const bifold_options* options);
/** Gives the plan back. */
BIFOLD_API void bifold_plan_destroy(bifold_plan* plan);

/** @} */

/** @addtogroup c_opencl
 *
 * The application's objects, passed as what cl_context and the like are: pointers. bifold retains
 * the context, queues and events until the handles and all that was made of them are destroyed,
 * and changes nothing of them. <bifold/interop/opencl.hpp> says more of each; the functions below
 * are those, and fail with BIFOLD_UNAVAILABLE where the backend was left out of the build.
 * @{ */

/** A device of the context; adopt once and keep it. `options` may be NULL. */
BIFOLD_API bifold_status bifold_opencl_adopt_device(void* cl_context, void* cl_device_id,
                                                    const bifold_device_options* options,
                                                    bifold_device** device);
/** A queue of the device's context, in order or not. Calls enqueue, and do not flush. */
BIFOLD_API bifold_status bifold_opencl_adopt_queue(void* cl_command_queue,
                                                   const bifold_device* device,
                                                   bifold_queue** queue);
/** A buffer object, which must outlive the work that uses it: it is not retained. */
BIFOLD_API bifold_status bifold_opencl_adopt_buffer(void* cl_mem, bifold_buffer** buffer);
/** `bytes` bytes of shared virtual memory of the device's context. */
BIFOLD_API bifold_status bifold_opencl_adopt_svm(const bifold_device* device, void* pointer,
                                                 uint64_t bytes, bifold_buffer** buffer);
/** An event, for wait lists and waits. */
BIFOLD_API bifold_status bifold_opencl_adopt_event(void* cl_event, bifold_event** event);
/** Puts out the cl_event behind an event, retained for the caller, who releases it. */
BIFOLD_API bifold_status bifold_opencl_native_event(const bifold_event* event, void** cl_event);

/** @} */

/** @addtogroup c_cuda
 *
 * The driver's objects, which the runtime's are too. Nothing is retained: they outlive the work
 * that uses them, and the context every handle made on it. <bifold/interop/cuda.hpp> says more.
 * @{ */

/** A device that works in the context. `options` may be NULL. */
BIFOLD_API bifold_status bifold_cuda_adopt_device(void* cu_context,
                                                  const bifold_device_options* options,
                                                  bifold_device** device);
/** The same for the context that is current on this thread, such as the runtime's. */
BIFOLD_API bifold_status bifold_cuda_adopt_current_device(const bifold_device_options* options,
                                                          bifold_device** device);
/** A stream of the device's context; NULL is its legacy default stream. `options` may be NULL. */
BIFOLD_API bifold_status bifold_cuda_adopt_queue(void* cu_stream, const bifold_device* device,
                                                 const bifold_queue_options* options,
                                                 bifold_queue** queue);
/** The device that memory at an address lives on: "cuda:INDEX". */
BIFOLD_API bifold_status bifold_cuda_device_index(uint64_t address, uint32_t* index);
/** `bytes` bytes from a device address, page-locked or managed pointer on. */
BIFOLD_API bifold_status bifold_cuda_adopt_buffer(uint64_t address, uint64_t bytes,
                                                  bifold_buffer** buffer);
/** An event, for wait lists: what was last recorded into it when a call waits for it. */
BIFOLD_API bifold_status bifold_cuda_adopt_event(void* cu_event, bifold_event** event);
/** Puts out the CUevent behind an event, which keeps it. */
BIFOLD_API bifold_status bifold_cuda_native_event(const bifold_event* event, void** cu_event);
/** Records the application's event behind everything enqueued so far. */
BIFOLD_API bifold_status bifold_cuda_record(bifold_queue* queue, void* cu_event);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
