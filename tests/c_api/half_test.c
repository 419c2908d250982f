/* 16-bit floating elements: stored, and accumulated in binary32. */
#include <string.h>

#include "harness.h"

enum { n = 3000, half_of_f16 = 0x3800, half_of_bf16 = 0x3f00 };

static void test_type(bifold_type type, uint16_t half, uint16_t one_and_a_half, uint16_t sum) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = type,
                               .accumulator = BIFOLD_F32,
                               .result = &type};
  const bifold_type f32 = BIFOLD_F32;
  bifold_options options = {.struct_size = sizeof options, .accumulate = &f32};
  bifold_plan* plan = NULL;
  uint16_t host[n], scanned[3], result = 0;
  float wide = 0;
  bifold_view input, cell, output;
  int i = 0;

  for (i = 0; i < n; ++i) host[i] = half;
  CHECK(bifold_type_size(type) == 2);
  input = uploaded(type, host, n);
  cell = allocated(type, 1);
  output = allocated(type, 3);

  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, NULL, &wide, NULL));
  CHECK(wide == 1500);
  OK(bifold_reduce(queue, input, plus, type, NULL, &result, NULL));
  CHECK(result == sum);
  input.count = 2;
  OK(bifold_reduce(queue, input, plus, type, &half, &result, NULL));
  CHECK(result == one_and_a_half);
  OK(bifold_reduce_into(queue, input, cell, plus, &half, NULL));
  result = 0;
  OK(bifold_download(queue, cell, &result));
  CHECK(result == one_and_a_half);
  OK(bifold_reduce_into(queue, input, cell, bifold_builtin_operator(BIFOLD_MAXIMUM), NULL, NULL));
  OK(bifold_download(queue, cell, &result));
  CHECK(result == half);

  input.count = 3;
  OK(bifold_exclusive_scan(queue, input, output, plus, &half, &options));
  OK(bifold_download(queue, output, scanned));
  CHECK(scanned[0] == half && scanned[2] == one_and_a_half);

  /* A plan's initial value is of the accumulator's type. */
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  wide = 0.5F;
  input.count = 2;
  OK(bifold_plan_run(plan, queue, input, cell, &wide, NULL));
  OK(bifold_download(queue, cell, &result));
  CHECK(result == one_and_a_half);
  bifold_plan_destroy(plan);

  shape.accumulator = type;
  FAILS(bifold_reduce_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("accumulated"));
  FAILS(bifold_operator_identity(plus, type, &result), BIFOLD_INVALID_ARGUMENT);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(cell.buffer);
  bifold_buffer_destroy(input.buffer);
}

void test_half(void) {
  const bifold_field field = {"x", BIFOLD_F16, 0};
  bifold_type type = 0;
  /* 1500 has 9 significant bits, of which the last is set: bf16 keeps 8, and ties to even. */
  test_type(BIFOLD_F16, half_of_f16, 0x3e00, 0x65dc);
  test_type(BIFOLD_BF16, half_of_bf16, 0x3fc0, 0x44bc);
  FAILS(bifold_struct_type("OfHalf", 2, &field, 1, &type), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("no field may be f16"));
}
