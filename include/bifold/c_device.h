/** @file
 * Backends and devices, queues, memory, events and workspace of the C interface.
 * <bifold/bifold.h> includes it, and says what holds for all functions. */
#ifndef BIFOLD_C_DEVICE_H
#define BIFOLD_C_DEVICE_H

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
/** Where the device keeps compiled kernels between runs, and what it is tuned by. */
typedef struct bifold_device_options {
  size_t struct_size; /**< sizeof(bifold_device_options). */
  /** NULL: $BIFOLD_CACHE_DIR, else $XDG_CACHE_HOME/bifold, else ~/.cache/bifold. Used where it is
   *  the user's own and nobody else can write to it. */
  const char* cache_directory;
  uint64_t cache_limit_bytes; /**< Oldest files go beyond this; 0: 256 MiB. */
  bool no_disk_cache; /**< Compiled kernels are kept in memory only; BIFOLD_CACHE_DISABLE=1 does
                         that for all devices. */
  /** What `bifold-bench tune` measured on such a device; one that cannot be used is ignored with a
   * warning in the log. NULL: the file that it installed beside the kernels, if any. */
  const char* tuning_file;
  /** How many programs are kept in memory, 0: 1024. Those that are made once half as many are there
   * go when there are more, the least recently used first; but none that a plan of the caller's or
   * a CUDA graph runs. */
  uint64_t cache_programs;
} bifold_device_options;
/** Opens what `selector` names, as "cuda:0", "gpu", "opencl:cpu", "opencl:nvidia"; NULL or "": what
 * $BIFOLD_DEVICE names, or the best there is. `options` may be NULL. */
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
  const char* architecture;      /**< "sm_90", "gfx90a", "intel", or "". */
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

/** Scratch memory instead of the queue's own, for one call at a time. Prepared, its content
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

#ifdef __cplusplus
}
#endif

#endif
