/** @file
 * bifold for C11, and for every language that calls C: the same library, devices and kernels.
 *
 * - Every function that can fail returns a bifold_status; bifold_last_error() says more. What a
 *   function puts out is written only when it returns BIFOLD_OK. No exception leaves it.
 * - A handle that a function puts out is given back to the matching destroy function, which takes
 *   NULL too. A handle keeps alive what it was made from, so handles may be destroyed in any order.
 *   NULL instead of a handle is BIFOLD_INVALID_ARGUMENT.
 * - Structs that may grow start with struct_size. Set it to sizeof the struct and everything
 *   unused to zero: bifold_options options = {.struct_size = sizeof options}; also of a struct that
 *   a function fills in. Another size than this library's is accepted as long as nothing it does
 *   not know is set, and nothing is written behind what it knows.
 * - Texts are UTF-8 and end with a zero. A pointer to a text that a function puts out is valid as
 *   long as the handle it came from, unless something else is said.
 * - Queues, devices, plans and events may be used from several threads at once; a handle may be
 *   destroyed once no thread uses it.
 * - In a process that was forked from one which had used devices, handles can be destroyed, and
 *   what needs a driver is BIFOLD_DEVICE_LOST.
 * - Functions return without waiting for the device, unless their first word is "Blocks".
 */
#ifndef BIFOLD_BIFOLD_H
#define BIFOLD_BIFOLD_H

#include <bifold/accumulation/c_accumulation.h>
#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <bifold/c_reductions.h>
#include <bifold/group/c_group.h>
#include <bifold/group/c_group_plans.h>
#include <bifold/selection/c_selection.h>
#include <bifold/statistics/c_statistics.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

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
/** The same without asking the driver, which takes about a microsecond, for memory of an allocator
 * on the device of the queues that it is used with. A wrong address or size is undefined. */
BIFOLD_API bifold_status bifold_cuda_adopt_known_buffer(uint64_t address, uint64_t bytes,
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
