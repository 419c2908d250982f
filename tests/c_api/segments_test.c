/* Reductions of segments, by calls and by a plan. */
#include "harness.h"

enum { n = 100, segments = 4 };

void test_segmented_reductions(void) {
  const uint32_t offsets[segments + 1] = {0, 10, 10, 60, 130};
  const int32_t want[segments] = {1045, 1000, 2725, 4180};
  const bifold_type bounds_type = BIFOLD_U32;
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const int32_t start = 1000;
  int32_t host[n];
  int32_t got[segments];
  uint64_t faulty = 77;
  bifold_plan* plan = NULL;
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = i;
  const bifold_view input = uploaded(BIFOLD_I32, host, n);
  const bifold_view bounds = uploaded(BIFOLD_U32, offsets, segments + 1);
  const bifold_view result = allocated(BIFOLD_I32, segments);
  const bifold_view faults = allocated(BIFOLD_U64, 1);
  const bifold_view begins = {bounds.buffer, BIFOLD_U32, 0, segments};
  const bifold_view ends = {bounds.buffer, BIFOLD_U32, 1, segments};
  const bifold_segments by = {begins, ends, &faults};
  bifold_options options = {.struct_size = sizeof options, .segments = &by};
  OK(bifold_reduce_into(queue, input, result, plus, &start, &options));
  OK(bifold_download(queue, result, got));
  for (i = 0; i < segments; ++i) CHECK(got[i] == want[i]);
  OK(bifold_download(queue, faults, &faulty));
  CHECK(faulty == 1);

  const bifold_reduce_shape shape = {.struct_size = sizeof shape,
                                     .op = plus,
                                     .input = BIFOLD_I32,
                                     .accumulator = BIFOLD_I32,
                                     .segments = &bounds_type,
                                     .segment_faults = 1};
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, result, NULL, &options));
  OK(bifold_download(queue, result, got));
  for (i = 0; i < segments; ++i) CHECK(got[i] == want[i] - start);
  bifold_plan_destroy(plan);

  FAILS(bifold_inclusive_scan(queue, input, input, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("segments are for reductions"));
  /* As a caller of an earlier version has it. */
  options.struct_size = offsetof(bifold_options, segments);
  FAILS(bifold_reduce_into(queue, input, result, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  bifold_buffer_destroy(input.buffer);
  bifold_buffer_destroy(bounds.buffer);
  bifold_buffer_destroy(result.buffer);
  bifold_buffer_destroy(faults.buffer);
}
