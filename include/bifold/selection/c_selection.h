/** @file
 * Selections and their plans in the C interface. <bifold/bifold.h> includes it, and says what holds
 * for all functions. */
#ifndef BIFOLD_C_SELECTION_H
#define BIFOLD_C_SELECTION_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_calls
 *
 * Of the options, selections know wait, done, workspace, variant, count_from and scalars; others
 * that are set are BIFOLD_INVALID_ARGUMENT.
 * @{ */

/** Enqueues a selection: the elements x, of index i, for which the expression of `predicate` is not
 * 0 go to `output`, one behind the other in their order; without a predicate those that are not 0.
 * `kept`, one BIFOLD_U32 or BIFOLD_U64, receives how many these are. `output` may have any number
 * of places, none too: what has no place is not stored. It may be the input's memory, unless groups
 * of the device may not wait for each other. */
BIFOLD_API bifold_status bifold_select(bifold_queue* queue, bifold_view input, bifold_view output,
                                       bifold_view kept, const bifold_map* predicate,
                                       const bifold_options* options);
/** The same of the elements whose flag is not 0: numbers of any type, as many as elements. */
BIFOLD_API bifold_status bifold_select_flagged(bifold_queue* queue, bifold_view input,
                                               bifold_view flags, bifold_view output,
                                               bifold_view kept, const bifold_options* options);
/** The same, but the indices of these elements are stored, as BIFOLD_U32 or BIFOLD_U64. */
BIFOLD_API bifold_status bifold_select_index(bifold_queue* queue, bifold_view input,
                                             bifold_view output, bifold_view kept,
                                             const bifold_map* predicate,
                                             const bifold_options* options);

/** Enqueues a partition: what bifold_select() keeps, and behind it all others, in their order, too.
 * `output` has as many places as the input has elements, and no memory in common with it. */
BIFOLD_API bifold_status bifold_partition(bifold_queue* queue, bifold_view input,
                                          bifold_view output, bifold_view kept,
                                          const bifold_map* predicate,
                                          const bifold_options* options);
/** The same with the others in reverse order. Reads the input once, not twice. */
BIFOLD_API bifold_status bifold_partition_reversed(bifold_queue* queue, bifold_view input,
                                                   bifold_view output, bifold_view kept,
                                                   const bifold_map* predicate,
                                                   const bifold_options* options);
/** Enqueues a selection of the first element of each run: an element x goes on with the run of the
 * one before it, y, where the expression of `equality` is not 0. NULL: "x == y". */
BIFOLD_API bifold_status bifold_unique(bifold_queue* queue, bifold_view input, bifold_view output,
                                       bifold_view kept, const bifold_map* equality,
                                       const bifold_options* options);

/** Enqueues bifold_unique() of `keys`. Beside the first key of each run it stores the element of
 * `values` at the same index, converted as keys are. `kept` receives the number of runs. Both
 * outputs have equally many places, and no memory in common with an input. */
BIFOLD_API bifold_status bifold_unique_by_key(bifold_queue* queue, bifold_view keys,
                                              bifold_view values, bifold_view unique,
                                              bifold_view stored_values, bifold_view kept,
                                              const bifold_map* equality,
                                              const bifold_options* options);

/** What becomes of the elements that a selection does not keep. */
typedef int32_t bifold_rejected;
/** What becomes of them. */
enum {
  BIFOLD_REJECTED_DROPPED,  /**< They are not stored. */
  BIFOLD_REJECTED_IN_ORDER, /**< They lie behind those that are kept, in their order. */
  BIFOLD_REJECTED_REVERSED  /**< They lie behind those that are kept, the last one first. */
};

/** A selection made ready for a device. */
typedef struct bifold_select_plan bifold_select_plan;
/** What a selection is, apart from its data. */
typedef struct bifold_select_shape {
  size_t struct_size;             /**< sizeof(bifold_select_shape). */
  const bifold_map* predicate;    /**< NULL: what is not 0 is kept. */
  const char* variant;            /**< A row of the gallery; NULL: "production". */
  bifold_type input;              /**< Of the elements read. */
  bifold_type output;             /**< Of what is stored. */
  bifold_type kept;               /**< BIFOLD_U32 or BIFOLD_U64. */
  bifold_device_values on_device; /**< Whether the calls' options name count_from; 0: no. */
  const bifold_type* flags;       /**< Of flags, instead of a predicate; NULL: none. */
  bifold_rejected rejected;       /**< What becomes of the others. */
  uint32_t first_of_runs;         /**< Not 0: as bifold_unique(), `predicate` being the equality. */
  uint32_t indices;               /**< Not 0: indices are stored, not elements. */
  uint32_t scalars_on_device;     /**< As of a bifold_reduce_shape. */
  const bifold_type* values;      /**< Of an array beside the keys of bifold_unique_by_key(), which
                                   * wants `first_of_runs`; NULL: none. */
  const bifold_type* stored_values; /**< Of what is stored of it; NULL: the same. */
} bifold_select_shape;
/** A plan of the selection. May compile. BIFOLD_UNSUPPORTED when the device cannot run it. */
BIFOLD_API bifold_status bifold_select_plan_create(const bifold_device* device,
                                                   const bifold_select_shape* shape,
                                                   bifold_select_plan** plan);
/** The name of the row that runs; "" for NULL. */
BIFOLD_API const char* bifold_select_plan_variant(const bifold_select_plan* plan);
/** Bytes of workspace for any input of up to `n` elements. Touches no device. */
BIFOLD_API bifold_status bifold_select_plan_workspace_bytes(const bifold_select_plan* plan,
                                                            uint64_t n, uint64_t* bytes);
/** Enqueues the plan on views of its types; `flags` is NULL for a plan without. */
BIFOLD_API bifold_status bifold_select_plan_run(const bifold_select_plan* plan, bifold_queue* queue,
                                                bifold_view input, const bifold_view* flags,
                                                bifold_view output, bifold_view kept,
                                                const bifold_options* options);
/** The same of a plan with values, as bifold_unique_by_key(). */
BIFOLD_API bifold_status bifold_select_plan_run_by_key(const bifold_select_plan* plan,
                                                       bifold_queue* queue, bifold_view keys,
                                                       bifold_view values, bifold_view unique,
                                                       bifold_view stored_values, bifold_view kept,
                                                       const bifold_options* options);
/** Gives the plan back. */
BIFOLD_API void bifold_select_plan_destroy(bifold_select_plan* plan);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
