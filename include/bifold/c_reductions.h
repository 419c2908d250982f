/** @file
 * Reductions of everyday use in the C interface: extremes and where they are, counts, products of
 * two arrays, exact-to-the-end sums, several results of one reading. <bifold/bifold.h> includes it,
 * and says what holds for all functions. */
#ifndef BIFOLD_C_REDUCTIONS_H
#define BIFOLD_C_REDUCTIONS_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_results
 *
 * `options` may be NULL in all of these, and an `init` that is NULL counts as none: sums of nothing
 * are 0 then, +0.0 of floating values. Inputs are of built-in types. All wait for their result,
 * except those whose names end with _into: these take lines.
 * @{ */

/** The index of no element. */
#define BIFOLD_NO_INDEX UINT64_MAX

/** Blocks until *value is the least element, of the input's type, and *index its index: NaN counts
 * as least of all, -0 as less than +0, and the first of equals is found. Of no elements, the
 * identity of BIFOLD_MINIMUM and BIFOLD_NO_INDEX. */
BIFOLD_API bifold_status bifold_argmin(bifold_queue* queue, bifold_view input, void* value,
                                       uint64_t* index, const bifold_options* options);
/** The same for the greatest: NaN counts as greatest of all, +0 as greater than -0. */
BIFOLD_API bifold_status bifold_argmax(bifold_queue* queue, bifold_view input, void* value,
                                       uint64_t* index, const bifold_options* options);
/** Blocks until *minimum and *maximum are the least and the greatest element, of the input's type,
 * as by BIFOLD_MINIMUM and BIFOLD_MAXIMUM; of no elements, their identities. */
BIFOLD_API bifold_status bifold_minmax(bifold_queue* queue, bifold_view input, void* minimum,
                                       void* maximum, const bifold_options* options);
/** Blocks until *count is the number of elements x, of index i, for which the expression of
 * `predicate` is not 0. */
BIFOLD_API bifold_status bifold_count_if(bifold_queue* queue, bifold_view input,
                                         const bifold_map* predicate, uint64_t* count,
                                         const bifold_options* options);
/** Blocks until *index is that of the first element for which the expression of `predicate` is not
 * 0, or BIFOLD_NO_INDEX. Without a predicate, of the first that is not 0. Reads on in pieces, and
 * none behind that of the first such element. Takes no lines, result map, accumulator, and no
 * values from device memory but scalars. */
BIFOLD_API bifold_status bifold_find_if(bifold_queue* queue, bifold_view input,
                                        const bifold_map* predicate, uint64_t* index,
                                        const bifold_options* options);
/** Enqueues bifold_find_if() into one BIFOLD_U64 or BIFOLD_I64, or one for each line; reads all
 * elements. The index of none is BIFOLD_NO_INDEX, or -1. */
BIFOLD_API bifold_status bifold_find_if_into(bifold_queue* queue, bifold_view input,
                                             bifold_view result, const bifold_map* predicate,
                                             const bifold_options* options);
/** Enqueues bifold_argmin() into one struct of the value and the index: `struct {float value;
 * uint64_t index;}` for inputs of BIFOLD_F32. As an element type it is that of the two fields
 * `value` and `index`, by the name "Indexed_f32", which bifold_struct_type() gives; so for the
 * other types. Of BIFOLD_F16 and BIFOLD_BF16 it is that of BIFOLD_F32. A result of BIFOLD_U64 or
 * BIFOLD_I64 is the index alone. */
BIFOLD_API bifold_status bifold_argmin_into(bifold_queue* queue, bifold_view input,
                                            bifold_view result, const bifold_options* options);
/** The same for the greatest. */
BIFOLD_API bifold_status bifold_argmax_into(bifold_queue* queue, bifold_view input,
                                            bifold_view result, const bifold_options* options);
/** Enqueues bifold_minmax() into one struct of both values, `struct {float minimum, maximum;}` for
 * inputs of BIFOLD_F32: the element type of the fields `minimum` and `maximum`, by the name
 * "MinMax_f32"; otherwise as bifold_argmin_into(). */
BIFOLD_API bifold_status bifold_minmax_into(bifold_queue* queue, bifold_view input,
                                            bifold_view result, const bifold_options* options);
/** Enqueues bifold_count_if() into one BIFOLD_U64. */
BIFOLD_API bifold_status bifold_count_if_into(bifold_queue* queue, bifold_view input,
                                              bifold_view result, const bifold_map* predicate,
                                              const bifold_options* options);
/** Blocks until *result is init plus the sum of the products of elements of one index in two arrays
 * of one length, in `type`. Products are rounded in the elements' types; integers wrap in `type`.
 */
BIFOLD_API bifold_status bifold_inner_product(bifold_queue* queue, bifold_view first,
                                              bifold_view second, bifold_type type,
                                              const void* init, void* result,
                                              const bifold_options* options);
/** Enqueues bifold_inner_product() into one element, accumulated as bifold_reduce_into() does.
 * `init` is of the result's type, or of the accumulator's with a result map. */
BIFOLD_API bifold_status bifold_inner_product_into(bifold_queue* queue, bifold_view first,
                                                   bifold_view second, bifold_view result,
                                                   const void* init, const bifold_options* options);
/** Blocks until *result is init plus the sum of the elements with the rounding errors of all
 * additions added at the end, in `type`, BIFOLD_F32 or BIFOLD_F64: about as exact as a sum of twice
 * the precision. */
BIFOLD_API bifold_status bifold_sum_compensated(bifold_queue* queue, bifold_view input,
                                                bifold_type type, const void* init, void* result,
                                                const bifold_options* options);
/** Enqueues bifold_sum_compensated() into one struct of the sum and of what is missing in it,
 * `struct {float sum, error;}`: the element type of these fields by the name "CompensatedSum_f32",
 * or "CompensatedSum_f64". The result is sum + error where the sum is finite and the error is not
 * 0, and else the sum. `init` is one float or double. */
BIFOLD_API bifold_status bifold_sum_compensated_into(bifold_queue* queue, bifold_view input,
                                                     bifold_view result, const void* init,
                                                     const bifold_options* options);

/** One of the reductions of bifold_reduce_many(). */
typedef struct bifold_reduction {
  const bifold_operator* op; /**< A built-in one. */
  const bifold_map* map;     /**< Applied to each element before it is combined; NULL: none. */
  const void* init;          /**< Of `type`, folded in exactly once; NULL: none. */
  void* result;              /**< Receives a value of `type`. */
  bifold_type type;          /**< Built-in: of accumulation and result. */
} bifold_reduction;
/** Blocks until every result is there of `count` reductions of one array, which is read once: 1 to
 * 8, whose types have up to 64 bytes together. A floating sum has the bits of bifold_reduce() where
 * its type is one of the widest, or all have up to 4 bytes. */
BIFOLD_API bifold_status bifold_reduce_many(bifold_queue* queue, bifold_view input,
                                            const bifold_reduction* reductions, size_t count,
                                            const bifold_options* options);
/** Enqueues bifold_reduce_many() into one struct, whose fields are of the reductions' types, in
 * their order. Their `result` is not looked at. */
BIFOLD_API bifold_status bifold_reduce_many_into(bifold_queue* queue, bifold_view input,
                                                 bifold_view result,
                                                 const bifold_reduction* reductions, size_t count,
                                                 const bifold_options* options);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
