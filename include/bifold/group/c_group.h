/** @file
 * Groups in the C interface: one array over several devices or processes. <bifold/bifold.h>
 * includes it, and says what holds for all functions. */
#ifndef BIFOLD_GROUP_C_GROUP_H
#define BIFOLD_GROUP_C_GROUP_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_groups
 *
 * <bifold/group/distributed.hpp> says more of each call. All of them block until the ranks have
 * exchanged what they need, and return the same status on every rank. `slices` are those of the
 * process's ranks, in their order. Of `options`, which may be NULL, they take `order` and, for
 * scans, `accumulate`; anything else is BIFOLD_INVALID_ARGUMENT.
 * @{ */

/** Ranks, each with a slice of one array. */
typedef struct bifold_group bifold_group;

/** Bytes from one rank to another one. */
typedef struct bifold_message {
  uint32_t from; /**< The rank that sends. */
  uint32_t to;   /**< The rank that receives. */
  void* bytes;   /**< Read by who sends, written by who receives. */
  size_t size;   /**< How many there are. */
} bifold_message;

/** What moves bytes between ranks, and never looks at them. Functions return BIFOLD_OK, or what the
 * call is to return: BIFOLD_TIMEOUT when they give up after `nanoseconds`. The group is out of use
 * then. When they return, the memory they were given is no longer in use. */
typedef struct bifold_transport {
  size_t struct_size;          /**< sizeof(bifold_transport). */
  uint32_t size;               /**< The number of ranks. */
  const uint32_t* local_ranks; /**< The process's ranks, ascending. */
  size_t local_rank_count;     /**< How many there are, at least one. */
  uint64_t deadline;           /**< Of each wait, in nanoseconds; 0: 30 seconds. */
  void* user;                  /**< Handed to all functions. */
  /** Every rank gives `bytes` bytes: `mine` has those of each local rank, `all` receives those of
   * all ranks, in their order. */
  bifold_status (*all_gather)(void* user, const void* mine, void* all, size_t bytes,
                              uint64_t nanoseconds);
  /** Sends and receives messages, at most one from a rank to another one. Called by the processes
   * that have some. */
  bifold_status (*exchange)(void* user, const bifold_message* sent, size_t sent_count,
                            const bifold_message* received, size_t received_count,
                            uint64_t nanoseconds);
  void (*release)(void* user); /**< Called when the group has ended; may be NULL. */
} bifold_transport;

/** What one rank has of an array that is reduced. */
typedef struct bifold_slice {
  bifold_queue* queue;       /**< Of the rank's device. */
  bifold_view input;         /**< The rank's elements, of any number. */
  const bifold_view* second; /**< As many of a second array, where the map names y; else NULL. */
} bifold_slice;

/** What one rank has of an array that is scanned. */
typedef struct bifold_scan_slice {
  bifold_queue* queue;      /**< Of the rank's device. */
  bifold_view input;        /**< The rank's elements, of any number. */
  bifold_view output;       /**< As many; may be the input. */
  const bifold_view* total; /**< One element of the accumulator's type, of all ranks; or NULL. */
} bifold_scan_slice;

/** A group over a transport, whose functions are copied. */
BIFOLD_API bifold_status bifold_group_create(const bifold_transport* transport,
                                             bifold_group** group);
/** A group whose ranks are all in this process, each with a queue of any device. */
BIFOLD_API bifold_status bifold_group_create_in_process(uint32_t ranks, bifold_group** group);
/** Gives a group back. */
BIFOLD_API void bifold_group_destroy(bifold_group* group);

/** Blocks until *result is op(init, reduction of map(x), or map(x, y), over the slices of all
 * ranks), accumulated in `type`. `map` may be NULL; over several ranks it cannot name i. */
BIFOLD_API bifold_status bifold_group_reduce(bifold_group* group, const bifold_slice* slices,
                                             size_t slice_count, const bifold_operator* op,
                                             const bifold_map* map, bifold_type type,
                                             const void* init, void* result,
                                             const bifold_options* options);
/** Blocks until *value is the least element of all ranks and *index its index in the whole array:
 * bifold_argmin(). */
BIFOLD_API bifold_status bifold_group_argmin(bifold_group* group, const bifold_slice* slices,
                                             size_t slice_count, void* value, uint64_t* index,
                                             const bifold_options* options);
/** The same for the greatest: bifold_argmax(). */
BIFOLD_API bifold_status bifold_group_argmax(bifold_group* group, const bifold_slice* slices,
                                             size_t slice_count, void* value, uint64_t* index,
                                             const bifold_options* options);
/** Scans the slices of all ranks into their outputs. `init` is of the outputs' type, NULL for
 * none; `map` may be NULL. */
BIFOLD_API bifold_status bifold_group_scan(bifold_group* group, bifold_scan_kind kind,
                                           const bifold_scan_slice* slices, size_t slice_count,
                                           const bifold_operator* op, const bifold_map* map,
                                           const void* init, const bifold_options* options);
/** Writes the ranks + 1 offsets of as even slices as need no exchange of elements, for reductions
 * by that operator, in order v1, in an accumulator of that type. */
BIFOLD_API bifold_status bifold_even_reduce_split(uint64_t n, uint32_t ranks,
                                                  const bifold_operator* op,
                                                  bifold_type accumulator, uint64_t* offsets);
/** The same for scans. */
BIFOLD_API bifold_status bifold_even_scan_split(uint64_t n, uint32_t ranks,
                                                const bifold_operator* op, bifold_type accumulator,
                                                uint64_t* offsets);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
