/** @file
 * Reductions, scans and their plans in the C interface. <bifold/bifold.h> includes it, and says
 * what holds for all functions. */
#ifndef BIFOLD_C_CALLS_H
#define BIFOLD_C_CALLS_H

#include <bifold/c_base.h>
#include <bifold/c_device.h>
#include <stddef.h>
#include <stdint.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_calls
 *
 * `options` may be NULL in all of these. `init` points to a value of the accumulator's type, which
 * is folded in exactly once; NULL: there is none. A reduction of nothing, its total, and the first
 * value of an exclusive scan are the operator's identity then, but +0.0 for sums of floating
 * values, fields of structs included, where -0.0 is the identity; BIFOLD_INVALID_ARGUMENT where it
 * has none.
 * @{ */

/** How the operands of a call are associated, where that decides about the bits of its result. */
typedef int32_t bifold_order;
/** Orders, which "production" keeps to; a row asked for by name has an order of its own. */
enum {
  BIFOLD_ORDER_V1, /**< Order v1: the same bits on every device, whatever the launch shape. */
  BIFOLD_ORDER_ANY /**< What is fastest; also devices that flush denormals or round otherwise. */
};

/** Lines of `length` elements each, one for every pair of an outer and an inner index. A call with
 * lines reduces or scans each of them as if it were alone, to the bit. Element k of line (o, i)
 * lies o * outer_stride + k * stride + i * inner_stride elements behind element 0 of line (0, 0).
 * A view begins at the lowest element of all lines, which is another one than that where a stride
 * is negative; it holds all elements, and may be longer. Line (o, i) is number o * inner + i. Every
 * member counts: the rows of a dense matrix are {rows, columns, 1, columns, 1, 0}, its columns are
 * {1, rows, columns, 0, columns, 1}. */
typedef struct bifold_lines {
  uint64_t outer;       /**< Lines along the slower index. */
  uint64_t length;      /**< Elements of a line. */
  uint64_t inner;       /**< Lines along the faster index. */
  int64_t outer_stride; /**< Elements from a line to the next one along the slower index. */
  int64_t stride;       /**< Elements from an element of a line to the next one. */
  int64_t inner_stride; /**< Elements from a line to the next one along the faster index. */
} bifold_lines;

/** Segments of the input of a reduction, each of which is reduced as if it were alone, to the bit.
 * Segment s has the elements from begins[s] up to, without, ends[s]: BIFOLD_U32 or BIFOLD_U64 in
 * device memory, read when the call runs. An end before its begin counts as the begin, and an end
 * behind the input as the input's. Between s + 1 offsets, both are the same memory, and the ends
 * begin one element later. */
typedef struct bifold_segments {
  bifold_view begins;        /**< The index of the first element of each segment, */
  bifold_view ends;          /**< and that behind the last one; as many. */
  const bifold_view* faults; /**< One BIFOLD_U64, which receives how many segments have an end
                              * before their begin or behind the input; NULL: none. */
} bifold_segments;

/** Keys of the elements that a reduction reads. A run is as many neighbours with equal keys as
 * there are. Each run is reduced as if it were alone, to the bit. Keys need not be sorted; equal
 * keys that lie apart are different runs. `unique` and the results have equally many places, any
 * number; n always suffice. Runs without a place are counted in `runs`, and not stored. */
typedef struct bifold_keys {
  bifold_view keys;           /**< As many as elements. */
  bifold_view unique;         /**< Receives the first key of each run, */
  bifold_view runs;           /**< and this, one BIFOLD_U32 or BIFOLD_U64, how many there are. */
  const bifold_map* equality; /**< As that of bifold_unique(); NULL: "x == y", structs want
                               * one. */
} bifold_keys;

/** The value of a scalar in one call. */
typedef struct bifold_scalar {
  const char* name;        /**< As the text declares it. */
  bifold_type type;        /**< The declared one. */
  const void* value;       /**< Of that type; NULL: it is read from device memory. */
  const bifold_view* from; /**< One element in device memory, read when the call runs. */
} bifold_scalar;

/** An array that a call writes beside its output, of as many elements. It lies as the output. */
typedef struct bifold_output {
  bifold_view view;       /**< Where it is. */
  const char* result_map; /**< Makes each element of an accumulator; NULL: it is converted. */
  const bifold_scalar_type* scalars; /**< Scalars that `result_map` names. */
  size_t scalar_count;               /**< How many there are. */
} bifold_output;

/** The same of a plan. */
typedef struct bifold_output_shape {
  bifold_type type;       /**< Of the elements written. */
  const char* result_map; /**< Makes each element of an accumulator; NULL: it is converted. */
  const bifold_scalar_type* scalars; /**< Scalars that `result_map` names. */
  size_t scalar_count;               /**< How many there are. */
} bifold_output_shape;

/** Everything about a call that has a default, which is zero. */
typedef struct bifold_options {
  size_t struct_size;                /**< sizeof(bifold_options). */
  bifold_event* const* wait;         /**< The call starts after these. */
  size_t wait_count;                 /**< How many there are. */
  bifold_event** done;               /**< Receives a new event, the call's completion. */
  const bifold_workspace* workspace; /**< Scratch to use instead of the queue's own. */
  const char* variant;               /**< A row of the gallery; NULL: "production". */
  /** The accumulator's type. NULL: that of the output or result, or BIFOLD_F32 for a 16-bit
   * floating one; with a result map that of a user's operator. */
  const bifold_type* accumulate;
  /** n, read from device memory when the call runs: a view of one BIFOLD_U32 or BIFOLD_U64. The
   * input's count is then the most there can be, and what a larger n counts as. NULL: none. */
  const bifold_view* count_from;
  /** The initial value, read from device memory when the call runs, instead of the call's: a view
   * of one element of the accumulator's type; a reduction's may be its result. NULL: none. */
  const bifold_view* init_from;
  /** Scans: receives op(init, all of the input) in device memory: a view of one element of the
   * accumulator's type; of nothing as a reduction does. NULL: none. */
  const bifold_view* total;
  bifold_order order; /**< What "production" keeps to. */
  /** The lines of the input, each with a result or a scan of its own: for calls whose results stay
   * on the device. `count_from` is then the length of every line. `init_from` is one value for all
   * lines or one for each, side by side; `total` is one for each. NULL: the input is one array. */
  const bifold_lines* lines;
  /** Where outputs lie. Scans: as many lines of as many elements; NULL: as the input's. Reductions:
   * as many lines of one element; NULL: side by side in the order of the lines. */
  const bifold_lines* output_lines;
  /** The lines of the arrays beside the first; NULL: those of the first. */
  const bifold_lines* second_lines;
  /** How many of the lines there are, read from device memory when the call runs: a view of one
   * BIFOLD_U32 or BIFOLD_U64. Later ones are neither read nor written. NULL: all. */
  const bifold_view* lines_from;
  /** Scans: not 0: from the last element to the first. output[i] is input[i] to input[n - 1] and
   * init combined in that order, of an exclusive scan input[i + 1] to init. */
  int32_t reverse;
  /** Makes outputs or the result of accumulators: an expression over s, "s.sum", in the language of
   * docs/operators.md, whose value is converted once. `init` and `total` are accumulators then, of
   * the accumulator's type. NULL: none. */
  const char* result_map;
  const bifold_scalar_type* result_map_scalars; /**< Scalars that `result_map` names. */
  size_t result_map_scalar_count;               /**< How many there are. */
  /** A value for each scalar that the call's operator and maps name, in any order. */
  const bifold_scalar* scalars;
  size_t scalar_count;               /**< How many there are. */
  const bifold_output* more_outputs; /**< Outputs beside the call's, three at most. */
  size_t more_output_count;          /**< How many there are. */
  /** Reductions and scans with a map: arrays behind the input, or behind the second array, whose
   * elements the map names y, z and w. They lie as `second_lines` says. */
  const bifold_view* more_inputs;
  size_t more_input_count; /**< How many there are. */
  /** Reductions whose results stay on the device: the segments of the input, instead of lines. Each
   * has a result, side by side, and of an empty one that is init or what a call of nothing gives.
   * `lines_from` is then the number of segments. NULL: none. */
  const bifold_segments* segments;
  /** Reductions whose results stay on the device: keys of the elements, instead of lines, segments
   * and `lines_from`. Each run of equal keys has a result, side by side; `init_from` is one value
   * for all. Lengths of runs are what bifold_transform_reduce_into() makes of the map "1" by
   * BIFOLD_PLUS in integers, with the keys as its input. NULL: none. */
  const bifold_keys* keys;
} bifold_options;

/** Blocks until *result is op(init, reduction of input), accumulated in `type`, as both are; where
 * that is BIFOLD_F16 or BIFOLD_BF16, accumulated in BIFOLD_F32 and rounded once. So are all calls
 * whose output is of these types, unless `accumulate` says otherwise. */
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
/** Enqueues the reduction of map(x) over the input into the one element of `result`,
 * or one for each line, segment or run. */
BIFOLD_API bifold_status bifold_transform_reduce_into(bifold_queue* queue, bifold_view input,
                                                      bifold_view result, const bifold_operator* op,
                                                      const bifold_map* map, const void* init,
                                                      const bifold_options* options);
/** Blocks until *result is op(init, reduction of map(x, y) over the pairs of elements of one index
 * in two arrays of one length), accumulated in `type`. */
BIFOLD_API bifold_status bifold_transform_reduce_pairs(bifold_queue* queue, bifold_view input,
                                                       bifold_view second,
                                                       const bifold_operator* op,
                                                       const bifold_map* map, bifold_type type,
                                                       const void* init, void* result,
                                                       const bifold_options* options);
/** Enqueues the reduction of map(x, y) over pairs into the one element of `result`, or
 * one for each line, segment or run. */
BIFOLD_API bifold_status bifold_transform_reduce_pairs_into(bifold_queue* queue, bifold_view input,
                                                            bifold_view second, bifold_view result,
                                                            const bifold_operator* op,
                                                            const bifold_map* map, const void* init,
                                                            const bifold_options* options);
/** Enqueues output[i] = op over init, input[0], ..., input[i]. In place is allowed; here `init` is
 * of the output's type, and the accumulator's holds it exactly. */
BIFOLD_API bifold_status bifold_inclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);
/** Enqueues output[i] = op over init, input[0], ..., input[i - 1]; output[0] is init. Otherwise as
 * bifold_inclusive_scan(). */
BIFOLD_API bifold_status bifold_exclusive_scan(bifold_queue* queue, bifold_view input,
                                               bifold_view output, const bifold_operator* op,
                                               const void* init, const bifold_options* options);
/** Enqueues the inclusive scan of map(x) instead of each element x, otherwise as
 * bifold_inclusive_scan(). */
BIFOLD_API bifold_status bifold_transform_inclusive_scan(bifold_queue* queue, bifold_view input,
                                                         bifold_view output,
                                                         const bifold_operator* op,
                                                         const bifold_map* map, const void* init,
                                                         const bifold_options* options);
/** Enqueues the exclusive scan of map(x) instead of each element x, otherwise as
 * bifold_exclusive_scan(). */
BIFOLD_API bifold_status bifold_transform_exclusive_scan(bifold_queue* queue, bifold_view input,
                                                         bifold_view output,
                                                         const bifold_operator* op,
                                                         const bifold_map* map, const void* init,
                                                         const bifold_options* options);

/** What the options of a plan's calls will name in device memory: a sum of these. */
typedef uint32_t bifold_device_values;
/** Values in device memory. */
enum {
  BIFOLD_COUNT_U32 = 1,  /**< `count_from`, of that type. */
  BIFOLD_COUNT_U64 = 2,  /**< `count_from`, of that type. */
  BIFOLD_INIT = 4,       /**< `init_from`. */
  BIFOLD_TOTAL = 8,      /**< `total`. */
  BIFOLD_LINES_U32 = 16, /**< `lines_from`, of that type. */
  BIFOLD_LINES_U64 = 32  /**< `lines_from`, of that type. */
};

/** Enqueues h[t] = gates[t] * h[t - 1] + tokens[t], where *h0 stands before h[0]; with `h0` NULL,
 * h[0] = tokens[0]. With the options' reverse, h[t] = gates[t] * h[t + 1] + tokens[t], where *h0
 * stands behind the last. All is computed in the accumulator's type of `h`, which *h0 is of. `h`
 * may be one of the others. Tokens lie as the options' second_lines says; init_from and total are
 * LinearStep of bifold/recurrence/linear_recurrence.hpp. The options have no accumulate and no
 * result_map. */
BIFOLD_API bifold_status bifold_linear_recurrence(bifold_queue* queue, bifold_view gates,
                                                  bifold_view tokens, bifold_view h, const void* h0,
                                                  const bifold_options* options);

/** A reduction or a scan made ready for a device: variant chosen, kernels built. */
typedef struct bifold_plan bifold_plan;
/** What the keys of a plan's calls are, as those of bifold_keys. */
typedef struct bifold_key_shape {
  bifold_type keys;           /**< Of the keys read, */
  bifold_type unique;         /**< of those that are stored, */
  bifold_type runs;           /**< and of how many these are: BIFOLD_U32 or BIFOLD_U64. */
  const bifold_map* equality; /**< NULL: "x == y". */
} bifold_key_shape;
/** What a reduction is, apart from its data. */
typedef struct bifold_reduce_shape {
  size_t struct_size;             /**< sizeof(bifold_reduce_shape). */
  const bifold_operator* op;      /**< Defined on the accumulator. */
  const bifold_map* map;          /**< Applied to each element; NULL: none. */
  const char* variant;            /**< A row of the gallery; NULL: "production". */
  bifold_type input;              /**< Of the elements read. */
  bifold_type accumulator;        /**< Of the initial value. */
  bifold_device_values on_device; /**< What the calls' options will name; 0: nothing. */
  const bifold_type* second;      /**< Of a second array, which the map names y; NULL: none. */
  bifold_order order;             /**< What "production" keeps to. */
  const bifold_type* result;      /**< Rounded to it once; NULL: as the accumulator. */
  uint64_t lines;                 /**< Not 0: the calls' options bring lines. */
  const char* result_map;         /**< Makes the result of an accumulator; NULL: none. */
  const bifold_scalar_type* result_map_scalars; /**< Scalars that `result_map` names. */
  size_t result_map_scalar_count;               /**< How many there are. */
  /** Which scalars the calls' options will name in device memory: bit k for the k-th one, in the
   * order in which the map, the operator, the result maps and the equality of keys declare them,
   * each name once. */
  uint32_t scalars_on_device;
  const bifold_output_shape* more_outputs; /**< Results beside it, three at most. */
  size_t more_output_count;                /**< How many there are. */
  const bifold_type* more_inputs;          /**< Of arrays behind the input and `second`. */
  size_t more_input_count;                 /**< How many there are. */
  const bifold_type* segments;  /**< Of where the calls' segments begin and end; NULL: none. */
  uint64_t segment_faults;      /**< Not 0: they count faulty segments. */
  const bifold_key_shape* keys; /**< Of the calls' keys; NULL: none. */
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
  const bifold_map* map;          /**< Applied to each element; NULL: none. */
  bifold_order order;             /**< What "production" keeps to. */
  uint64_t lines;                 /**< Not 0: the calls' options bring lines. */
  uint64_t reverse;               /**< Not 0: from the last element to the first. */
  const char* result_map;         /**< Makes outputs of accumulators; NULL: none. */
  const bifold_scalar_type* result_map_scalars; /**< Scalars that `result_map` names. */
  size_t result_map_scalar_count;               /**< How many there are. */
  uint32_t scalars_on_device;                   /**< As a reduction's. */
  const bifold_output_shape* more_outputs;      /**< Outputs beside it, three at most. */
  size_t more_output_count;                     /**< How many there are. */
  const bifold_type* more_inputs;               /**< Of arrays behind the input. */
  size_t more_input_count;                      /**< How many there are. */
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
/** Bytes of workspace for any input of up to `n` elements, of any number of segments or runs.
 * Touches no device. */
BIFOLD_API bifold_status bifold_plan_workspace_bytes(const bifold_plan* plan, uint64_t n,
                                                     uint64_t* bytes);
/** The same for lines: for as many of up to that length, wherever they lie. */
BIFOLD_API bifold_status bifold_plan_workspace_bytes_of_lines(const bifold_plan* plan,
                                                              const bifold_lines* lines,
                                                              uint64_t* bytes);
/** Enqueues the plan on views of its types; `init` is of the accumulator's. The options' variant,
 * order, accumulate, reverse and result maps, and the equality of keys, are not looked at. */
BIFOLD_API bifold_status bifold_plan_run(const bifold_plan* plan, bifold_queue* queue,
                                         bifold_view input, bifold_view output, const void* init,
                                         const bifold_options* options);
/** The same for a reduction of two arrays, whose shape has a `second`. */
BIFOLD_API bifold_status bifold_plan_run_pairs(const bifold_plan* plan, bifold_queue* queue,
                                               bifold_view input, bifold_view second,
                                               bifold_view output, const void* init,
                                               const bifold_options* options);
/** Gives the plan back. */
BIFOLD_API void bifold_plan_destroy(bifold_plan* plan);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
