/** @file
 * Plans over groups in the C interface. <bifold/bifold.h> includes it, and says what holds for all
 * functions. */
#ifndef BIFOLD_GROUP_C_GROUP_PLANS_H
#define BIFOLD_GROUP_C_GROUP_PLANS_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <bifold/c_reductions.h>
#include <bifold/group/c_group.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_groups
 * @{ */

/** What a local rank brings to all runs of a plan. */
typedef struct bifold_share {
  bifold_queue* queue; /**< On which runs work. */
  uint64_t count;      /**< The rank's elements. */
} bifold_share;
/** A reduction or a scan over a group made ready: <bifold/group/group_plans.hpp>. One thread runs
 * it at a time. */
typedef struct bifold_group_plan bifold_group_plan;
/** Blocks until all ranks have made the plan; `shares` are those of the local ranks. `init` is of
 * the accumulator's type, NULL for none. */
BIFOLD_API bifold_status bifold_group_reduce_plan_create(bifold_group* group,
                                                         const bifold_reduce_shape* shape,
                                                         const bifold_share* shares,
                                                         size_t share_count, const void* init,
                                                         bifold_group_plan** plan);
/** The same of a scan, whose runs have totals where the shape names BIFOLD_TOTAL. */
BIFOLD_API bifold_status bifold_group_scan_plan_create(bifold_group* group,
                                                       const bifold_scan_shape* shape,
                                                       const bifold_share* shares,
                                                       size_t share_count, const void* init,
                                                       bifold_group_plan** plan);
/** The same of bifold_group_argmin(), for elements of that type. The result is a struct of the
 * value and the index, as of bifold_argmin_into(). */
BIFOLD_API bifold_status bifold_group_argmin_plan_create(bifold_group* group, bifold_type element,
                                                         const bifold_share* shares,
                                                         size_t share_count,
                                                         bifold_group_plan** plan);
/** The same for the greatest. */
BIFOLD_API bifold_status bifold_group_argmax_plan_create(bifold_group* group, bifold_type element,
                                                         const bifold_share* shares,
                                                         size_t share_count,
                                                         bifold_group_plan** plan);
/** The same of the least and the greatest. The result is a struct of both, as of
 * bifold_minmax_into(). */
BIFOLD_API bifold_status bifold_group_minmax_plan_create(bifold_group* group, bifold_type element,
                                                         const bifold_share* shares,
                                                         size_t share_count,
                                                         bifold_group_plan** plan);
/** The same of the number of elements x for which the expression of `predicate` is not 0, a
 * BIFOLD_U64. */
BIFOLD_API bifold_status bifold_group_count_if_plan_create(bifold_group* group, bifold_type element,
                                                           const bifold_map* predicate,
                                                           const bifold_share* shares,
                                                           size_t share_count,
                                                           bifold_group_plan** plan);
/** The same of several reductions, whose `result` is not looked at. The result is a struct of the
 * type `result`, whose fields are of the reductions' types, in their order. */
BIFOLD_API bifold_status bifold_group_reduce_many_plan_create(
    bifold_group* group, bifold_type element, const bifold_reduction* reductions,
    size_t reduction_count, bifold_type result, const bifold_share* shares, size_t share_count,
    bifold_group_plan** plan);
/** Blocks until *result, of the plan's type, is the reduction of the slices of all ranks. */
BIFOLD_API bifold_status bifold_group_plan_reduce(bifold_group_plan* plan,
                                                  const bifold_slice* slices, size_t slice_count,
                                                  void* result);
/** The same into one element in the memory of each local rank. */
BIFOLD_API bifold_status bifold_group_plan_reduce_into(bifold_group_plan* plan,
                                                       const bifold_slice* slices,
                                                       size_t slice_count,
                                                       const bifold_view* results);
/** Scans the slices of all ranks into their outputs. */
BIFOLD_API bifold_status bifold_group_plan_scan(bifold_group_plan* plan,
                                                const bifold_scan_slice* slices,
                                                size_t slice_count);
/** Blocks until the work of the plan's queues is done, by the group's deadline. */
BIFOLD_API bifold_status bifold_group_plan_finish(bifold_group_plan* plan);
/** Gives the plan back. */
BIFOLD_API void bifold_group_plan_destroy(bifold_group_plan* plan);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
