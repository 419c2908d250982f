/** @file
 * Accumulations in the C interface: arrays that come in chunks. <bifold/bifold.h> includes it, and
 * says what holds for all functions. */
#ifndef BIFOLD_ACCUMULATION_C_ACCUMULATION_H
#define BIFOLD_ACCUMULATION_C_ACCUMULATION_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_accumulations
 *
 * <bifold/accumulation/accumulation.hpp> says more of each call.
 * @{ */

/** A reduction or a scan that is fed its array in chunks. */
typedef struct bifold_accumulation bifold_accumulation;

/** Everything about making one that has a default. */
typedef struct bifold_accumulation_options {
  size_t struct_size;   /**< sizeof(bifold_accumulation_options). */
  uint64_t piece_bytes; /**< Of a piece in which host memory is copied; 0: 32 MiB. */
} bifold_accumulation_options;

/** A reduction of nothing so far. `init` is of the accumulator's type, NULL for none; `options` may
 * be NULL. May compile. */
BIFOLD_API bifold_status bifold_reduce_accumulation_create(
    bifold_queue* queue, const bifold_reduce_shape* shape, const void* init,
    const bifold_accumulation_options* options, bifold_accumulation** accumulation);
/** A scan of nothing so far. */
BIFOLD_API bifold_status bifold_scan_accumulation_create(bifold_queue* queue,
                                                         const bifold_scan_shape* shape,
                                                         const void* init,
                                                         const bifold_accumulation_options* options,
                                                         bifold_accumulation** accumulation);
/** The least element and its index in the whole array: bifold_argmin(). */
BIFOLD_API bifold_status bifold_argmin_accumulation_create(
    bifold_queue* queue, bifold_type element, const bifold_accumulation_options* options,
    bifold_accumulation** accumulation);
/** The greatest element and its index in the whole array: bifold_argmax(). */
BIFOLD_API bifold_status bifold_argmax_accumulation_create(
    bifold_queue* queue, bifold_type element, const bifold_accumulation_options* options,
    bifold_accumulation** accumulation);
/** Gives an accumulation back. */
BIFOLD_API void bifold_accumulation_destroy(bifold_accumulation* accumulation);

/** Enqueues the next elements, of any number. `output` has as many elements for a scan, which may
 * be in place, and is NULL for a reduction. */
BIFOLD_API bifold_status bifold_accumulation_feed(bifold_accumulation* accumulation,
                                                  bifold_view chunk, const bifold_view* output);
/** The same in host memory, of the shape's types. Blocks until that is no longer in use. */
BIFOLD_API bifold_status bifold_accumulation_feed_host(bifold_accumulation* accumulation,
                                                       const void* elements, void* outputs,
                                                       uint64_t count);
/** bifold_accumulation_feed() of a reduction of two arrays, of as many elements. */
BIFOLD_API bifold_status bifold_accumulation_feed_pairs(bifold_accumulation* accumulation,
                                                        bifold_view chunk, bifold_view second);
/** The same in host memory. */
BIFOLD_API bifold_status bifold_accumulation_feed_host_pairs(bifold_accumulation* accumulation,
                                                             const void* elements,
                                                             const void* seconds, uint64_t count);
/** How many elements it has been fed. */
BIFOLD_API bifold_status bifold_accumulation_count(bifold_accumulation* accumulation,
                                                   uint64_t* count);
/** Blocks until *value is the reduction so far, of the shape's result type, or a scan's total, of
 * its accumulator's. `index` receives that of an argmin or argmax, and is NULL otherwise. */
BIFOLD_API bifold_status bifold_accumulation_value(bifold_accumulation* accumulation, void* value,
                                                   uint64_t* index);
/** Blocks. Of what it takes to go on, *size is the number of bytes, which are written to `bytes`.
 * Where these are more than `room`, nothing is written and the status is BIFOLD_INVALID_ARGUMENT,
 * but for NULL. */
BIFOLD_API bifold_status bifold_accumulation_save(bifold_accumulation* accumulation, void* bytes,
                                                  size_t room, size_t* size);
/** Blocks, and goes on where `bytes` were saved, on any device. BIFOLD_INVALID_ARGUMENT, with
 * nothing changed, for bytes that are not whole or of other terms. */
BIFOLD_API bifold_status bifold_accumulation_resume(bifold_accumulation* accumulation,
                                                    const void* bytes, size_t size);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
