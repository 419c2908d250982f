/* Orders, operators without identity, maps of indices and of two arrays, maps in front of scans. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { n = 50021 };
static int32_t host[n];

static bifold_view numbers(void) {
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = i % 19 - 4;
  return uploaded(BIFOLD_I32, host, n);
}

/* Floats about 1. Every multiplication of them rounds, so each order has bits of its own. */
static bifold_view about_one(void) {
  static float floats[n];
  uint32_t state = 12345;
  int i = 0;
  for (i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    floats[i] = 0.999F + (float)(state >> 8) * 0x1p-24F * 0.002F;
  }
  return uploaded(BIFOLD_F32, floats, n);
}

/* The row that a plan of that order runs, and what that row makes of the input. */
static float of_named_row(bifold_view input, const bifold_operator* product, bifold_order order,
                          char name[64]) {
  const bifold_reduce_shape shape = {.struct_size = sizeof shape,
                                     .op = product,
                                     .input = BIFOLD_F32,
                                     .accumulator = BIFOLD_F32,
                                     .order = order};
  bifold_options options = {.struct_size = sizeof options, .variant = name};
  bifold_plan* plan = NULL;
  float result = 0;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  (void)snprintf(name, 64, "%s", bifold_plan_variant(plan));
  bifold_plan_destroy(plan);
  OK(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, &options));
  return result;
}

/* The structs as they were before there were orders, padding included. */
typedef struct {
  size_t struct_size;
  const bifold_operator* op;
  const bifold_map* map;
  const char* variant;
  bifold_type input, accumulator;
  bifold_device_values on_device;
} earlier_reduce_shape;
typedef struct {
  size_t struct_size;
  const bifold_operator* op;
  const char* variant;
  bifold_type input, output, accumulator;
  bifold_scan_kind kind;
  bifold_device_values on_device;
} earlier_scan_shape;

/* What is set behind the size that a caller gives is not looked at. */
static void test_earlier_structs(bifold_view input, const char* v1, float in_v1) {
  const bifold_operator* product = bifold_builtin_operator(BIFOLD_MULTIPLIES);
  const bifold_options options = {.struct_size = offsetof(bifold_options, order), .order = 99};
  const bifold_reduce_shape reduce = {.struct_size = sizeof(earlier_reduce_shape),
                                      .op = product,
                                      .input = BIFOLD_F32,
                                      .accumulator = BIFOLD_F32,
                                      .second = &(bifold_type){BIFOLD_I32},
                                      .order = 99};
  const bifold_scan_shape scan = {.struct_size = sizeof(earlier_scan_shape),
                                  .op = product,
                                  .input = BIFOLD_F32,
                                  .output = BIFOLD_F32,
                                  .accumulator = BIFOLD_F32,
                                  .order = 99};
  bifold_plan* plan = NULL;
  float result = 0;
  CHECK(offsetof(bifold_reduce_shape, second) == sizeof(earlier_reduce_shape));
  CHECK(offsetof(bifold_scan_shape, map) == sizeof(earlier_scan_shape));
  OK(bifold_reduce_plan_create(device, &reduce, &plan));
  CHECK(strcmp(bifold_plan_variant(plan), v1) == 0);
  bifold_plan_destroy(plan);
  OK(bifold_scan_plan_create(device, &scan, &plan));
  CHECK(strncmp(bifold_plan_variant(plan), "order_v1", 8) == 0);
  bifold_plan_destroy(plan);
  OK(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, &options));
  CHECK(result == in_v1);
}

static bool on_cpu(void) {
  bifold_device_info info = {.struct_size = sizeof info};
  OK(bifold_device_get_info(device, &info));
  return info.kind == BIFOLD_CPU;
}

/* A product in source text, of which nothing says that it commutes: rows that serve others keep
   order v1 anyway, and on GPUs all quick ones do. */
static bifold_operator* product_in_order(void) {
  bifold_operator* product = NULL;
  OK(bifold_operator_create("product", "a * b", BIFOLD_F32, &(float){1}, BIFOLD_NON_COMMUTATIVE,
                            &product));
  return product;
}

static void test_orders_of_reductions(bifold_view input) {
  bifold_operator* product = product_in_order();
  bifold_options options = {.struct_size = sizeof options};
  char v1[64] = "", any[64] = "";
  const float in_v1 = of_named_row(input, product, BIFOLD_ORDER_V1, v1);
  const float in_any = of_named_row(input, product, BIFOLD_ORDER_ANY, any);
  float result = 0;
  CHECK(strncmp(v1, "order_v1", 8) == 0);
  CHECK((in_v1 != in_any) == on_cpu() && (strcmp(v1, any) != 0) == on_cpu());
  OK(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, NULL));
  CHECK(result == in_v1);
  OK(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, &options));
  CHECK(result == in_v1);
  options.order = BIFOLD_ORDER_ANY;
  OK(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, &options));
  CHECK(result == in_any);
  bifold_operator_destroy(product);
}

static void test_orders_of_scans(bifold_view input, bifold_view output) {
  bifold_operator* product = product_in_order();
  bifold_plan* plan = NULL;
  bifold_options options = {.struct_size = sizeof options, .order = BIFOLD_ORDER_ANY};
  bifold_scan_shape scan = {.struct_size = sizeof scan,
                            .input = BIFOLD_F32,
                            .output = BIFOLD_F32,
                            .accumulator = BIFOLD_F32};
  scan.op = product;
  OK(bifold_scan_plan_create(device, &scan, &plan));
  CHECK(strncmp(bifold_plan_variant(plan), "order_v1", 8) == 0);
  bifold_plan_destroy(plan);
  scan.order = BIFOLD_ORDER_ANY;
  OK(bifold_scan_plan_create(device, &scan, &plan));
  if (on_cpu()) CHECK(strncmp(bifold_plan_variant(plan), "order_v1", 8) != 0);
  bifold_plan_destroy(plan);
  OK(bifold_inclusive_scan(queue, input, output, product, NULL, &options));
  bifold_operator_destroy(product);
}

void test_order(void) {
  const bifold_view input = about_one();
  const bifold_view output = allocated(BIFOLD_F32, n);
  const bifold_operator* product = bifold_builtin_operator(BIFOLD_MULTIPLIES);
  bifold_options options = {.struct_size = sizeof options};
  bifold_scan_shape scan = {.struct_size = sizeof scan,
                            .op = product,
                            .input = BIFOLD_F32,
                            .output = BIFOLD_F32,
                            .accumulator = BIFOLD_F32};
  bifold_reduce_shape reduce = {
      .struct_size = sizeof reduce, .op = product, .input = BIFOLD_F32, .accumulator = BIFOLD_F32};
  bifold_plan* plan = NULL;
  char v1[64] = "";
  const float in_v1 = of_named_row(input, product, BIFOLD_ORDER_V1, v1);
  float result = 0;
  CHECK(strncmp(v1, "order_v1", 8) == 0);
  test_orders_of_reductions(input);

  OK(bifold_scan_plan_create(device, &scan, &plan));
  CHECK(strncmp(bifold_plan_variant(plan), "order_v1", 8) == 0);
  bifold_plan_destroy(plan);
  test_orders_of_scans(input, output);

  scan.order = reduce.order = options.order = 2;
  FAILS(bifold_scan_plan_create(device, &scan, &plan), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_reduce_plan_create(device, &reduce, &plan), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_inclusive_scan(queue, input, output, product, NULL, &options),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("no such order: 2"));
  FAILS(bifold_reduce(queue, input, product, BIFOLD_F32, NULL, &result, &options),
        BIFOLD_INVALID_ARGUMENT);

  test_earlier_structs(input, v1, in_v1);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}

void test_no_identity(void) {
  const bifold_view input = numbers();
  const bifold_view nothing = {input.buffer, BIFOLD_I32, 0, 0};
  const bifold_view output = allocated(BIFOLD_I32, n);
  const int32_t seven = 7;
  static int32_t out[n];
  bifold_operator *last = NULL, *least = NULL;
  bifold_options options = {.struct_size = sizeof options, .variant = "ordered"};
  bifold_plan* plan = NULL;
  bifold_reduce_shape shape = {
      .struct_size = sizeof shape, .input = BIFOLD_I32, .accumulator = BIFOLD_I32};
  int32_t result = -1;

  OK(bifold_operator_create("last", "b", BIFOLD_I32, NULL, BIFOLD_NON_COMMUTATIVE, &last));
  OK(bifold_operator_create("least", "a < b ? a : b", BIFOLD_I32, NULL, BIFOLD_COMMUTATIVE,
                            &least));
  FAILS(bifold_operator_identity(last, BIFOLD_I32, &result), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("identity") && result == -1);
  OK(bifold_reduce(queue, input, last, BIFOLD_I32, NULL, &result, NULL));
  CHECK(result == host[n - 1]);
  OK(bifold_reduce(queue, input, least, BIFOLD_I32, NULL, &result, NULL));
  CHECK(result == -4);
  OK(bifold_reduce(queue, nothing, last, BIFOLD_I32, &seven, &result, NULL));
  CHECK(result == 7);
  FAILS(bifold_reduce(queue, nothing, last, BIFOLD_I32, NULL, &result, NULL),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_reduce(queue, input, last, BIFOLD_I32, NULL, &result, &options), BIFOLD_UNSUPPORTED);

  OK(bifold_inclusive_scan(queue, input, output, last, NULL, NULL));
  OK(bifold_download(queue, output, out));
  CHECK(memcmp(out, host, sizeof out) == 0);
  FAILS(bifold_exclusive_scan(queue, input, output, last, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_exclusive_scan(queue, input, output, last, &seven, NULL));
  OK(bifold_download(queue, output, out));
  CHECK(out[0] == 7 && memcmp(out + 1, host, sizeof out - sizeof out[0]) == 0);

  shape.op = last;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  bifold_operator_destroy(last); /* The plan has its own. */
  {
    bifold_view cell = output;
    cell.count = 1;
    OK(bifold_plan_run(plan, queue, input, cell, NULL, NULL));
    OK(bifold_download(queue, cell, &result));
    CHECK(result == host[n - 1]);
    FAILS(bifold_plan_run(plan, queue, nothing, cell, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  }
  bifold_plan_destroy(plan);
  bifold_operator_destroy(least);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}

static void test_pair_plans(bifold_view x, bifold_view y, bifold_view cell, int64_t expected) {
  const bifold_type second = BIFOLD_I64;
  bifold_map* map = NULL;
  bifold_plan *plan = NULL, *single = NULL, *scan_plan = NULL;
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_scan_shape scan = {.struct_size = sizeof scan,
                                  .op = plus,
                                  .input = BIFOLD_I32,
                                  .output = BIFOLD_I32,
                                  .accumulator = BIFOLD_I32};
  const int64_t start = 1000;
  const bifold_type no_type = 199;
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I64,
                               .second = &second};
  int64_t sum = 0;

  FAILS(bifold_reduce_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT); /* No map. */
  OK(bifold_map_create("x * y - x - (i64)i", &map));
  shape.map = map;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_run_pairs(plan, queue, x, y, cell, &start, NULL));
  OK(bifold_download(queue, cell, &sum));
  CHECK(sum == expected + 1000);
  FAILS(bifold_plan_run(plan, queue, x, cell, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("two arrays"));
  FAILS(bifold_plan_run_pairs(plan, queue, x, x, cell, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  shape.second = NULL;
  FAILS(bifold_reduce_plan_create(device, &shape, &single), BIFOLD_INVALID_ARGUMENT);
  shape.second = &no_type;
  FAILS(bifold_reduce_plan_create(device, &shape, &single), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_scan_plan_create(device, &scan, &scan_plan));
  FAILS(bifold_plan_run_pairs(scan_plan, queue, x, x, x, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("the plan takes one array"));
  bifold_plan_destroy(scan_plan);
  bifold_plan_destroy(plan);
  bifold_map_destroy(map);
}

void test_pairs(void) {
  static int64_t factors[n];
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view x = numbers();
  const bifold_view cell = allocated(BIFOLD_I64, 1);
  const int64_t start = -5;
  bifold_map *map = NULL, *index = NULL;
  bifold_view y, shorter;
  int64_t sum = 0, expected = 0;
  int i = 0;
  for (i = 0; i < n; ++i) {
    factors[i] = i % 101;
    expected += host[i] * factors[i] - host[i] - i;
  }
  y = uploaded(BIFOLD_I64, factors, n);
  shorter = y;
  --shorter.count;
  OK(bifold_map_create("x * y - x - (i64)i", &map));
  OK(bifold_map_create("x == 14 ? i : 0", &index));
  OK(bifold_transform_reduce(queue, x, bifold_builtin_operator(BIFOLD_MAXIMUM), index, BIFOLD_I64,
                             NULL, &sum, NULL));
  CHECK(sum == (n - 1) / 19 * 19 - 1);
  OK(bifold_transform_reduce_pairs(queue, x, y, plus, map, BIFOLD_I64, &start, &sum, NULL));
  CHECK(sum == expected - 5);
  OK(bifold_transform_reduce_pairs_into(queue, x, y, cell, plus, map, NULL, NULL));
  OK(bifold_download(queue, cell, &sum));
  CHECK(sum == expected);

  FAILS(bifold_transform_reduce(queue, x, plus, map, BIFOLD_I64, NULL, &sum, NULL),
        BIFOLD_INVALID_ARGUMENT); /* It names y. */
  FAILS(bifold_transform_reduce_pairs(queue, x, shorter, plus, map, BIFOLD_I64, NULL, &sum, NULL),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_transform_reduce_pairs_into(queue, x, shorter, cell, plus, map, NULL, NULL),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(sum == expected);
  test_pair_plans(x, y, cell, expected);
  bifold_map_destroy(index);
  bifold_map_destroy(map);
  bifold_buffer_destroy(cell.buffer);
  bifold_buffer_destroy(y.buffer);
  bifold_buffer_destroy(x.buffer);
}

void test_transform_scans(void) {
  static int64_t out[n];
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view input = numbers();
  const bifold_view output = allocated(BIFOLD_I64, n);
  const int64_t start = 1000;
  bifold_map *square = NULL, *pair = NULL;
  bifold_plan* plan = NULL;
  bifold_scan_shape shape = {.struct_size = sizeof shape,
                             .op = plus,
                             .input = BIFOLD_I32,
                             .output = BIFOLD_I64,
                             .accumulator = BIFOLD_I64,
                             .kind = BIFOLD_EXCLUSIVE};
  int64_t sum = 0;
  int i = 0, wrong = 0;

  OK(bifold_map_create("x * x", &square));
  OK(bifold_map_create("x * y", &pair));
  OK(bifold_transform_inclusive_scan(queue, input, output, plus, square, NULL, NULL));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < n; ++i) wrong += out[i] != (sum += (int64_t)host[i] * host[i]);
  CHECK(wrong == 0);
  OK(bifold_transform_exclusive_scan(queue, input, output, plus, square, &start, NULL));
  OK(bifold_download(queue, output, out));
  for (i = 0, sum = start; i < n; ++i) {
    wrong += out[i] != sum;
    sum += (int64_t)host[i] * host[i];
  }
  CHECK(wrong == 0);

  shape.map = square;
  OK(bifold_scan_plan_create(device, &shape, &plan));
  OK(bifold_fill(queue, output, &start));
  OK(bifold_plan_run(plan, queue, input, output, NULL, NULL));
  OK(bifold_download(queue, output, out));
  for (i = 0, sum = 0; i < n; ++i) {
    wrong += out[i] != sum;
    sum += (int64_t)host[i] * host[i];
  }
  CHECK(wrong == 0);
  bifold_plan_destroy(plan);
  shape.map = pair;
  FAILS(bifold_scan_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_transform_inclusive_scan(queue, input, output, plus, pair, NULL, NULL),
        BIFOLD_INVALID_ARGUMENT);
  bifold_map_destroy(pair);
  bifold_map_destroy(square);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}
