/* Calls by key, and their plans. */
#include "harness.h"

enum { n = 10, places = 5 };

void test_keys(void) {
  const int64_t host_keys[n] = {7, 7, 7, 3, 3, 9, 9, 9, 9, 7};
  const int32_t host[n] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const int64_t want_keys[4] = {7, 3, 9, 7};
  const int32_t want_sums[4] = {6, 9, 30, 10};
  const int32_t want_values[4] = {1, 4, 6, 10};
  const int32_t want_counts[4] = {3, 2, 4, 1};
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_type value_type = BIFOLD_I32;
  int64_t got_keys[places];
  int32_t got[places];
  uint64_t count = 77;
  uint64_t bytes = 0;
  bifold_map* one = NULL;
  bifold_map* halves = NULL;
  bifold_plan* plan = NULL;
  bifold_select_plan* select_plan = NULL;
  int i = 0;
  const bifold_view input = uploaded(BIFOLD_I32, host, n);
  const bifold_view keys = uploaded(BIFOLD_I64, host_keys, n);
  const bifold_view unique = allocated(BIFOLD_I64, places);
  const bifold_view result = allocated(BIFOLD_I32, places);
  const bifold_view runs = allocated(BIFOLD_U64, 1);
  const bifold_keys by = {keys, unique, runs, NULL};
  bifold_options options = {.struct_size = sizeof options, .keys = &by};

  OK(bifold_reduce_into(queue, input, result, plus, NULL, &options));
  OK(bifold_download(queue, result, got));
  OK(bifold_download(queue, unique, got_keys));
  OK(bifold_download(queue, runs, &count));
  CHECK(count == 4);
  for (i = 0; i < 4; ++i) CHECK(got[i] == want_sums[i] && got_keys[i] == want_keys[i]);

  /* Lengths of runs are the sums of 1, and a text says what is equal. */
  OK(bifold_map_create("1", &one));
  OK(bifold_map_create("x / 8 == y / 8", &halves));
  OK(bifold_transform_reduce_into(queue, input, result, plus, one, NULL, &options));
  OK(bifold_download(queue, result, got));
  for (i = 0; i < 4; ++i) CHECK(got[i] == want_counts[i]);
  const bifold_keys by_halves = {keys, unique, runs, halves};
  options.keys = &by_halves;
  OK(bifold_reduce_into(queue, input, result, plus, NULL, &options));
  OK(bifold_download(queue, result, got));
  OK(bifold_download(queue, runs, &count));
  CHECK(count == 3 && got[0] == 15 && got[1] == 30 && got[2] == 10);

  const bifold_key_shape key_shape = {BIFOLD_I64, BIFOLD_I64, BIFOLD_U64, NULL};
  const bifold_reduce_shape shape = {.struct_size = sizeof shape,
                                     .op = plus,
                                     .input = BIFOLD_I32,
                                     .accumulator = BIFOLD_I32,
                                     .keys = &key_shape};
  options.keys = &by;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_workspace_bytes(plan, n, &bytes));
  CHECK(bytes >= (n + 1) * sizeof(uint64_t));
  OK(bifold_plan_run(plan, queue, input, result, NULL, &options));
  OK(bifold_download(queue, result, got));
  for (i = 0; i < 4; ++i) CHECK(got[i] == want_sums[i]);
  bifold_plan_destroy(plan);

  OK(bifold_unique_by_key(queue, keys, input, unique, result, runs, NULL, NULL));
  OK(bifold_download(queue, result, got));
  for (i = 0; i < 4; ++i) CHECK(got[i] == want_values[i]);
  const bifold_select_shape select_shape = {.struct_size = sizeof select_shape,
                                            .input = BIFOLD_I64,
                                            .output = BIFOLD_I64,
                                            .kept = BIFOLD_U64,
                                            .first_of_runs = 1,
                                            .values = &value_type};
  OK(bifold_select_plan_create(device, &select_shape, &select_plan));
  OK(bifold_select_plan_run_by_key(select_plan, queue, keys, input, unique, result, runs, NULL));
  OK(bifold_download(queue, unique, got_keys));
  for (i = 0; i < 4; ++i) CHECK(got_keys[i] == want_keys[i]);
  bifold_select_plan_destroy(select_plan);
  /* As a caller of an earlier version has it. */
  bifold_select_shape earlier = select_shape;
  earlier.struct_size = offsetof(bifold_select_shape, values);
  OK(bifold_select_plan_create(device, &earlier, &select_plan));
  FAILS(bifold_select_plan_run_by_key(select_plan, queue, keys, input, unique, result, runs, NULL),
        BIFOLD_INVALID_ARGUMENT);
  bifold_select_plan_destroy(select_plan);

  FAILS(bifold_inclusive_scan(queue, input, input, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("keys are for reductions"));
  options.struct_size = offsetof(bifold_options, keys);
  FAILS(bifold_reduce_into(queue, input, result, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  bifold_map_destroy(one);
  bifold_map_destroy(halves);
  bifold_buffer_destroy(input.buffer);
  bifold_buffer_destroy(keys.buffer);
  bifold_buffer_destroy(unique.buffer);
  bifold_buffer_destroy(result.buffer);
  bifold_buffer_destroy(runs.buffer);
}
