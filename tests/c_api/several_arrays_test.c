/* Several outputs of a call, and maps of several arrays. */
#include <stddef.h>

#include "harness.h"

/* Sums and their halves, of calls and of a plan. */
static void test_outputs(bifold_view input, const bifold_operator* plus) {
  const bifold_type sums = BIFOLD_I32;
  const bifold_view output = allocated(BIFOLD_I32, 3);
  const bifold_view halves = allocated(BIFOLD_F32, 3);
  const bifold_output more = {.view = halves, .result_map = "s * 0.5f"};
  const bifold_output_shape more_shape = {.type = BIFOLD_F32, .result_map = "s * 0.25f"};
  const bifold_scan_shape shape = {.struct_size = sizeof shape,
                                   .op = plus,
                                   .input = BIFOLD_I32,
                                   .output = BIFOLD_I32,
                                   .accumulator = BIFOLD_I32,
                                   .kind = BIFOLD_INCLUSIVE,
                                   .more_outputs = &more_shape,
                                   .more_output_count = 1};
  bifold_options options = {.struct_size = sizeof options,
                            .accumulate = &sums,
                            .more_outputs = &more,
                            .more_output_count = 1};
  bifold_plan* plan = NULL;
  int32_t whole[3] = {0};
  float half[3] = {0};
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, output, whole));
  OK(bifold_download(queue, halves, half));
  CHECK(whole[0] == 3 && whole[1] == 7 && whole[2] == 15);
  CHECK(half[0] == 1.5F && half[1] == 3.5F && half[2] == 7.5F);
  OK(bifold_scan_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, output, NULL, &options));
  OK(bifold_download(queue, halves, half));
  CHECK(half[0] == 0.75F && half[2] == 3.75F);
  FAILS(bifold_plan_run(plan, queue, input, output, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("the plan has 2 outputs, the call 1"));
  bifold_plan_destroy(plan);
  {
    const bifold_output both = {.view = {halves.buffer, BIFOLD_F32, 0, 1},
                                .result_map = "s * 0.5f"};
    options.more_outputs = &both;
    OK(bifold_reduce_into(queue, input, (bifold_view){output.buffer, BIFOLD_I32, 1, 1}, plus, NULL,
                          &options));
    OK(bifold_download(queue, output, whole));
    OK(bifold_download(queue, halves, half));
    CHECK(whole[1] == 15 && half[0] == 7.5F);
  }
  options.more_output_count = 4;
  FAILS(bifold_inclusive_scan(queue, input, output, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  options.more_outputs = NULL;
  options.more_output_count = 1;
  FAILS(bifold_inclusive_scan(queue, input, output, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  /* Callers that know of none. */
  options.struct_size = offsetof(bifold_options, more_outputs);
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  bifold_buffer_destroy(halves.buffer);
  bifold_buffer_destroy(output.buffer);
}

/* A scalar that the result map of a further output names alone, of a call and of a plan. */
static void test_scalars_of_outputs(bifold_view input, const bifold_operator* plus) {
  const bifold_type sums = BIFOLD_I32;
  const bifold_view output = allocated(BIFOLD_I32, 3);
  const bifold_view scaled = allocated(BIFOLD_F32, 3);
  const bifold_scalar_type factor = {"factor", BIFOLD_F32};
  const bifold_output more = {
      .view = scaled, .result_map = "s * factor", .scalars = &factor, .scalar_count = 1};
  const bifold_output_shape more_shape = {
      .type = BIFOLD_F32, .result_map = "s * factor", .scalars = &factor, .scalar_count = 1};
  const bifold_scan_shape shape = {.struct_size = sizeof shape,
                                   .op = plus,
                                   .input = BIFOLD_I32,
                                   .output = BIFOLD_I32,
                                   .accumulator = BIFOLD_I32,
                                   .kind = BIFOLD_INCLUSIVE,
                                   .more_outputs = &more_shape,
                                   .more_output_count = 1};
  const float two = 2;
  const bifold_scalar value = {.name = "factor", .type = BIFOLD_F32, .value = &two};
  bifold_options options = {.struct_size = sizeof options,
                            .accumulate = &sums,
                            .more_outputs = &more,
                            .more_output_count = 1,
                            .scalars = &value,
                            .scalar_count = 1};
  bifold_plan* plan = NULL;
  float got[3] = {0};
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, scaled, got));
  CHECK(got[0] == 6 && got[1] == 14 && got[2] == 30);
  OK(bifold_scan_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, output, NULL, &options));
  options.scalar_count = 0;
  FAILS(bifold_plan_run(plan, queue, input, output, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("factor"));
  bifold_plan_destroy(plan);
  bifold_buffer_destroy(scaled.buffer);
  bifold_buffer_destroy(output.buffer);
}

/* The map of up to four arrays, of calls and of a plan. */
static void test_inputs(bifold_view input, const bifold_operator* plus) {
  const bifold_view output = allocated(BIFOLD_I32, 3);
  const bifold_view inputs[] = {input, input, input, input};
  const bifold_type types[] = {BIFOLD_I32, BIFOLD_I32};
  const bifold_type second = BIFOLD_I32;
  const bifold_reduce_shape shape = {.struct_size = sizeof shape,
                                     .op = plus,
                                     .input = BIFOLD_I32,
                                     .accumulator = BIFOLD_I32,
                                     .second = &second,
                                     .more_inputs = types,
                                     .more_input_count = 1};
  bifold_options options = {
      .struct_size = sizeof options, .more_inputs = inputs, .more_input_count = 3};
  bifold_reduce_shape mapped = shape;
  bifold_plan* plan = NULL;
  bifold_map* map = NULL;
  int32_t out[3] = {0};
  int32_t sum = 0;
  OK(bifold_map_create("x * y + z - w", &map));
  OK(bifold_transform_inclusive_scan(queue, input, output, plus, map, NULL, &options));
  OK(bifold_download(queue, output, out));
  CHECK(out[0] == 9 && out[1] == 25 && out[2] == 89);
  options.more_input_count = 2;
  OK(bifold_transform_reduce_pairs(queue, input, input, plus, map, BIFOLD_I32, NULL, &sum,
                                   &options));
  CHECK(sum == 89);
  options.more_input_count = 4;
  FAILS(bifold_transform_inclusive_scan(queue, input, output, plus, map, NULL, &options),
        BIFOLD_INVALID_ARGUMENT);
  options.more_input_count = 1;
  FAILS(bifold_count_if(queue, input, map, (uint64_t[]){0}, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("more_inputs"));
  bifold_map_destroy(map);
  OK(bifold_map_create("x * y + z", &map));
  mapped.map = map;
  OK(bifold_reduce_plan_create(device, &mapped, &plan));
  OK(bifold_plan_run_pairs(plan, queue, input, input,
                           (bifold_view){output.buffer, BIFOLD_I32, 2, 1}, NULL, &options));
  OK(bifold_download(queue, output, out));
  CHECK(out[2] == 104);
  bifold_plan_destroy(plan);
  bifold_map_destroy(map);
  bifold_buffer_destroy(output.buffer);
}

void test_several_arrays(void) {
  static const int32_t values[] = {3, 4, 8};
  const bifold_view input = uploaded(BIFOLD_I32, values, 3);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  test_outputs(input, plus);
  test_scalars_of_outputs(input, plus);
  test_inputs(input, plus);
  bifold_buffer_destroy(input.buffer);
}
