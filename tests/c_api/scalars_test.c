/* Scalars that texts name: other values, of the host or in device memory, compile nothing. */
#include <stddef.h>

#include "harness.h"

enum { n = 5000 };
static int32_t host[n];

static uint64_t above(int32_t limit) {
  uint64_t count = 0;
  int i = 0;
  for (i = 0; i < n; ++i) count += host[i] > limit ? 1 : 0;
  return count;
}

static void test_count(bifold_view input) {
  const bifold_scalar_type declared = {"limit", BIFOLD_I32};
  int32_t limit = 0;
  const bifold_scalar given = {.name = "limit", .type = BIFOLD_I32, .value = &limit};
  bifold_options options = {.struct_size = sizeof options, .scalars = &given, .scalar_count = 1};
  bifold_map* map = NULL;
  uint64_t count = 0;
  OK(bifold_map_create_with_scalars("x > limit", &declared, 1, &map));
  for (limit = -5; limit < 25; limit += 7) {
    OK(bifold_count_if(queue, input, map, &count, &options));
    CHECK(count == above(limit));
  }
  options.scalar_count = 0;
  FAILS(bifold_count_if(queue, input, map, &count, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("limit"));
  /* Of a caller that was built before there were any. */
  options.scalar_count = 1;
  options.struct_size = offsetof(bifold_options, result_map_scalars);
  FAILS(bifold_count_if(queue, input, map, &count, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("no value"));
  bifold_map_destroy(map);
}

/* A plan with a scalar in each text, one of them in device memory. */
static void test_plan(bifold_view input) {
  const bifold_scalar_type in_map = {"k", BIFOLD_I32};
  const bifold_scalar_type in_operator = {"cap", BIFOLD_I32};
  const bifold_scalar_type in_result = {"d", BIFOLD_I32};
  int32_t cells[3] = {0, 41, 0};
  const bifold_view memory = uploaded(BIFOLD_I32, cells, 3);
  const bifold_view cell = {memory.buffer, BIFOLD_I32, 1, 1};
  const bifold_view out = allocated(BIFOLD_I32, 1);
  const int32_t zero = 0;
  int32_t k = 2, cap = 3000, got = 0;
  const bifold_scalar given[] = {{.name = "d", .type = BIFOLD_I32, .from = &cell},
                                 {.name = "cap", .type = BIFOLD_I32, .value = &cap},
                                 {.name = "k", .type = BIFOLD_I32, .value = &k}};
  bifold_options options = {.struct_size = sizeof options, .scalars = given, .scalar_count = 3};
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I32,
                               .result_map = "s + d",
                               .result_map_scalars = &in_result,
                               .result_map_scalar_count = 1,
                               .scalars_on_device = 4};
  bifold_map* map = NULL;
  bifold_operator* op = NULL;
  bifold_plan* plan = NULL;
  OK(bifold_map_create_with_scalars("x > 0 ? k : 0", &in_map, 1, &map));
  OK(bifold_operator_create_with_scalars("capped", "min(a + b, cap)", BIFOLD_I32, &zero,
                                         BIFOLD_COMMUTATIVE, &in_operator, 1, &op));
  shape.op = op;
  shape.map = map;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  for (k = 0; k < 3; ++k) {
    const int32_t sum = k * (int32_t)above(0);
    OK(bifold_plan_run(plan, queue, input, out, NULL, &options));
    OK(bifold_download(queue, out, &got));
    CHECK(got == (sum < cap ? sum : cap) + 41);
  }
  options.scalar_count = 2;
  FAILS(bifold_plan_run(plan, queue, input, out, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("\"k\""));
  bifold_plan_destroy(plan);
  shape.scalars_on_device = 8;
  FAILS(bifold_reduce_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  bifold_operator_destroy(op);
  bifold_map_destroy(map);
  bifold_buffer_destroy(memory.buffer);
  bifold_buffer_destroy(out.buffer);
}

static void test_refusals(void) {
  const bifold_scalar_type clash = {"x", BIFOLD_I32};
  const bifold_scalar_type unknown = {"k", 99};
  bifold_map* map = NULL;
  FAILS(bifold_map_create_with_scalars("x", &clash, 1, &map), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("operand"));
  FAILS(bifold_map_create_with_scalars("x", &unknown, 1, &map), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_map_create_with_scalars("x", NULL, 1, &map), BIFOLD_INVALID_ARGUMENT);
  CHECK(map == NULL);
}

void test_scalars(void) {
  int i = 0;
  bifold_view input;
  for (i = 0; i < n; ++i) host[i] = i % 31 - 9;
  input = uploaded(BIFOLD_I32, host, n);
  test_count(input);
  test_plan(input);
  test_refusals();
  bifold_buffer_destroy(input.buffer);
}
