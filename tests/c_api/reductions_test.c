/* Extremes, counts, products, compensated sums, several results. */
#include <math.h>
#include <string.h>

#include "harness.h"

#define REFUSED(call) FAILS(call, BIFOLD_INVALID_ARGUMENT)

enum { n = 30011 };
static int16_t host[n];

static bifold_view numbers(void) {
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = (int16_t)((i * 31) % 4001 - 2000);
  return uploaded(BIFOLD_I16, host, n);
}

static void test_extremes(bifold_view input) {
  const bifold_view nothing = {input.buffer, BIFOLD_I16, 0, 0};
  const float floats[] = {3, -0.0F, 0.0F, NAN, 9, NAN};
  const bifold_view reals = uploaded(BIFOLD_F32, floats, 6);
  const bifold_view numbers_only = {reals.buffer, BIFOLD_F32, 0, 3};
  const bifold_type wide = BIFOLD_I64;
  const bifold_options options = {.struct_size = sizeof options, .accumulate = &wide};
  int16_t low = 0, high = 0, value = 99;
  float real = 0;
  uint64_t first_low = 0, first_high = 0, at = 99;
  int i = 0;
  for (i = 0; i < n; ++i) {
    if (host[i] < host[first_low]) first_low = (uint64_t)i;
    if (host[i] > host[first_high]) first_high = (uint64_t)i;
  }
  OK(bifold_argmin(queue, input, &value, &at, NULL));
  CHECK(value == -2000 && at == first_low);
  OK(bifold_argmax(queue, input, &value, &at, NULL));
  CHECK(value == 2000 && at == first_high);
  OK(bifold_minmax(queue, input, &low, &high, NULL));
  CHECK(low == -2000 && high == 2000);

  OK(bifold_argmax(queue, reals, &real, &at, NULL));
  CHECK(isnan(real) && at == 3);
  OK(bifold_argmin(queue, numbers_only, &real, &at, NULL));
  CHECK(real == 0 && signbit(real) && at == 1);
  const uint16_t halves[] = {0x3c00, 0xc880, 0x4880, 0x8000};  // 1, -9, 9, -0
  const uint16_t uppers[] = {0x3f80, 0xc110, 0x4110, 0x8000};
  uint16_t found[] = {99, 99};  // Behind the first one nothing is written.
  const bifold_view of_halves = uploaded(BIFOLD_F16, halves, 4);
  const bifold_view of_uppers = uploaded(BIFOLD_BF16, uppers, 4);
  OK(bifold_argmin(queue, of_halves, found, &at, NULL));
  CHECK(found[0] == 0xc880 && found[1] == 99 && at == 1);
  OK(bifold_argmax(queue, of_uppers, found, &at, NULL));
  CHECK(found[0] == 0x4110 && found[1] == 99 && at == 2);
  OK(bifold_minmax(queue, of_halves, &found[1], &found[0], NULL));
  CHECK(found[0] == 0x4880 && found[1] == 0xc880);
  OK(bifold_argmin(queue, nothing, &value, &at, NULL));
  CHECK(value == INT16_MAX && at == BIFOLD_NO_INDEX);
  OK(bifold_minmax(queue, nothing, &low, &high, NULL));
  CHECK(low == INT16_MAX && high == INT16_MIN);

  value = 99;
  at = 99;
  REFUSED(bifold_argmin(NULL, input, &value, &at, NULL));
  REFUSED(bifold_argmin(queue, (bifold_view){NULL, BIFOLD_I16, 0, 1}, &value, &at, NULL));
  REFUSED(bifold_argmin(queue, input, NULL, &at, NULL));
  REFUSED(bifold_argmin(queue, input, &value, NULL, NULL));
  CHECK(says("index is NULL"));
  REFUSED(bifold_argmin(queue, input, &value, &at, &options));
  REFUSED(bifold_argmax(queue, input, NULL, &at, NULL));
  REFUSED(bifold_argmax(queue, input, &value, NULL, NULL));
  REFUSED(bifold_minmax(queue, input, NULL, &high, NULL));
  CHECK(says("minimum is NULL"));
  REFUSED(bifold_minmax(queue, input, &low, NULL, NULL));
  CHECK(value == 99 && at == 99);
  bifold_buffer_destroy(reals.buffer);
  bifold_buffer_destroy(of_halves.buffer);
  bifold_buffer_destroy(of_uppers.buffer);
}

static void test_count(bifold_view input) {
  bifold_map *positive = NULL, *pair = NULL;
  bifold_event* done = NULL;
  const bifold_options options = {.struct_size = sizeof options, .done = &done};
  uint64_t count = 99, expected = 0;
  bool complete = false;
  int i = 0;
  for (i = 0; i < n; ++i) expected += host[i] > 0 && i >= 100;
  OK(bifold_map_create("x > 0 && i >= 100", &positive));
  OK(bifold_map_create("x > y", &pair));
  REFUSED(bifold_count_if(NULL, input, positive, &count, NULL));
  REFUSED(bifold_count_if(queue, input, NULL, &count, NULL));
  REFUSED(bifold_count_if(queue, input, positive, NULL, NULL));
  REFUSED(bifold_count_if(queue, input, pair, &count, &options));
  CHECK(count == 99 && done == NULL);
  OK(bifold_count_if(queue, input, positive, &count, &options));
  CHECK(count == expected);
  OK(bifold_event_complete(done, &complete));
  CHECK(complete);
  bifold_event_destroy(done);
  bifold_map_destroy(pair);
  bifold_map_destroy(positive);
}

static void test_find(bifold_view input) {
  bifold_map* behind = NULL;
  bifold_lines lines = {1, 9, 1, 0, 1, 0};
  const bifold_options options = {.struct_size = sizeof options, .lines = &lines};
  const bifold_view nothing = {input.buffer, input.type, 0, 0};
  uint64_t at = 99, expected = 100;
  int64_t place = 99;
  bifold_view result = {NULL, BIFOLD_I64, 0, 1};
  while (host[expected] <= 0) ++expected;
  OK(bifold_map_create("x > 0 && i >= 100", &behind));
  REFUSED(bifold_find_if(queue, input, behind, NULL, NULL));
  CHECK(says("index is NULL"));
  REFUSED(bifold_find_if(queue, input, behind, &at, &options));
  CHECK(says("no lines"));
  CHECK(at == 99);
  OK(bifold_find_if(queue, input, behind, &at, NULL));
  CHECK(at == expected);
  OK(bifold_find_if(queue, nothing, NULL, &at, NULL));
  CHECK(at == BIFOLD_NO_INDEX);
  result = uploaded(BIFOLD_I64, &place, 1);
  OK(bifold_find_if_into(queue, input, result, behind, NULL));
  OK(bifold_download(queue, result, &place));
  CHECK(place == (int64_t)expected);
  OK(bifold_find_if_into(queue, nothing, result, NULL, NULL));
  OK(bifold_download(queue, result, &place));
  CHECK(place == -1);
  bifold_buffer_destroy(result.buffer);
  bifold_map_destroy(behind);
}

static void test_products(bifold_view input) {
  const bifold_view shorter = {input.buffer, BIFOLD_I16, 0, n - 1};
  const bifold_view nothing = {input.buffer, BIFOLD_I16, 0, 0};
  const float floats[] = {0.5F, 2, -3};
  const bifold_view reals = uploaded(BIFOLD_F32, floats, 3);
  const int64_t ten = 10;
  int64_t sum = 99, expected = 0;
  float real = 0;
  int i = 0;
  for (i = 0; i < n; ++i) expected += (int64_t)host[i] * host[i];
  REFUSED(bifold_inner_product(NULL, input, input, BIFOLD_I64, NULL, &sum, NULL));
  REFUSED(bifold_inner_product(queue, input, shorter, BIFOLD_I64, NULL, &sum, NULL));
  REFUSED(bifold_inner_product(queue, input, input, BIFOLD_I64, NULL, NULL, NULL));
  REFUSED(bifold_inner_product(queue, input, input, 199, NULL, &sum, NULL));
  REFUSED(bifold_inner_product(queue, reals, reals, BIFOLD_I64, NULL, &sum, NULL));
  CHECK(sum == 99);
  OK(bifold_inner_product(queue, input, input, BIFOLD_I64, &ten, &sum, NULL));
  CHECK(sum == expected + 10);
  OK(bifold_inner_product(queue, nothing, nothing, BIFOLD_I64, NULL, &sum, NULL));
  CHECK(sum == 0);
  OK(bifold_inner_product(queue, reals, reals, BIFOLD_F32, NULL, &real, NULL));
  CHECK(real == 13.25F);
  bifold_buffer_destroy(reals.buffer);
}

static void test_compensated(bifold_view input) {
  enum { count = 4099 };
  static float floats[count];
  const float half = 0.5F;
  float sum = 99;
  bifold_view reals;
  int i = 0;
  /* Each one is lost beside the first element, and so is a plain sum of them. */
  floats[0] = 1e9F;
  for (i = 1; i < count - 1; ++i) floats[i] = 1;
  floats[count - 1] = -1e9F;
  reals = uploaded(BIFOLD_F32, floats, count);
  REFUSED(bifold_sum_compensated(NULL, reals, BIFOLD_F32, NULL, &sum, NULL));
  REFUSED(bifold_sum_compensated(queue, reals, BIFOLD_F32, NULL, NULL, NULL));
  REFUSED(bifold_sum_compensated(queue, reals, BIFOLD_I32, NULL, &sum, NULL));
  CHECK(says("compensated") && sum == 99);
  OK(bifold_sum_compensated(queue, reals, BIFOLD_F32, NULL, &sum, NULL));
  CHECK(sum == (float)(count - 2));
  OK(bifold_sum_compensated(queue, reals, BIFOLD_F32, &half, &sum, NULL));
  CHECK(sum == (float)(count - 2) + 0.5F);
  OK(bifold_sum_compensated(queue, input, BIFOLD_F32, NULL, &sum, NULL));
  OK(bifold_reduce(queue, reals, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_F32, NULL, &sum,
                   NULL));
  CHECK(sum != (float)(count - 2));
  bifold_buffer_destroy(reals.buffer);
}

/* Without an initial value, floating sums of nothing are +0, though -0 is what changes none. */
static void test_zeros(void) {
  const float minus = -0.0F;
  const float floats[] = {-0.0F, -0.0F, -0.0F};
  const bifold_view zeros = uploaded(BIFOLD_F32, floats, 3);
  const bifold_view none = {zeros.buffer, BIFOLD_F32, 0, 0};
  const bifold_view output = uploaded(BIFOLD_F32, floats, 3);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  float found[3] = {9, 9, 9}, other = 9;
  bifold_reduction both[2] = {{plus, NULL, NULL, NULL, BIFOLD_F32},
                              {plus, NULL, NULL, NULL, BIFOLD_F32}};
  both[0].result = &found[0];
  both[1].init = &minus;
  both[1].result = &found[1];
  OK(bifold_reduce(queue, none, plus, BIFOLD_F32, NULL, &other, NULL));
  CHECK(other == 0 && !signbit(other));
  OK(bifold_reduce(queue, none, plus, BIFOLD_F32, &minus, &other, NULL));
  CHECK(signbit(other));
  OK(bifold_reduce(queue, zeros, plus, BIFOLD_F32, NULL, &other, NULL));
  CHECK(signbit(other));
  OK(bifold_inner_product(queue, none, none, BIFOLD_F32, NULL, &other, NULL));
  CHECK(other == 0 && !signbit(other));
  OK(bifold_sum_compensated(queue, none, BIFOLD_F32, NULL, &other, NULL));
  CHECK(other == 0 && !signbit(other));
  OK(bifold_sum_compensated(queue, zeros, BIFOLD_F32, NULL, &other, NULL));
  CHECK(signbit(other));
  OK(bifold_reduce_many(queue, none, both, 2, NULL));
  CHECK(!signbit(found[0]) && signbit(found[1]));
  OK(bifold_exclusive_scan(queue, zeros, output, plus, NULL, NULL));
  OK(bifold_download(queue, output, found));
  CHECK(found[0] == 0 && !signbit(found[0]) && signbit(found[1]) && signbit(found[2]));
  OK(bifold_exclusive_scan(queue, zeros, output, plus, &minus, NULL));
  OK(bifold_download(queue, output, found));
  CHECK(signbit(found[0]) && signbit(found[2]));
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(zeros.buffer);
}

static void test_many(bifold_view input) {
  const int64_t hundred = 100;
  int64_t sum = 99, squares = 99, sum_expected = 0, squares_expected = 0;
  int16_t low = 99;
  uint8_t all = 99;
  bifold_map* square = NULL;
  bifold_operator* own = NULL;
  int i = 0;
  OK(bifold_map_create("(i64)x * x", &square));
  OK(bifold_operator_create("own", "a + b", BIFOLD_I64, &(int64_t){0}, BIFOLD_COMMUTATIVE, &own));
  {
    bifold_reduction reductions[] = {
        {bifold_builtin_operator(BIFOLD_PLUS), NULL, &hundred, &sum, BIFOLD_I64},
        {bifold_builtin_operator(BIFOLD_MINIMUM), NULL, NULL, &low, BIFOLD_I16},
        {bifold_builtin_operator(BIFOLD_LOGICAL_AND), NULL, NULL, &all, BIFOLD_U8},
        {bifold_builtin_operator(BIFOLD_PLUS), square, NULL, &squares, BIFOLD_I64}};
    bifold_reduction wrong = reductions[0];
    for (i = 0; i < n; ++i) {
      sum_expected += host[i];
      squares_expected += (int64_t)host[i] * host[i];
    }
    REFUSED(bifold_reduce_many(NULL, input, reductions, 4, NULL));
    REFUSED(bifold_reduce_many(queue, input, NULL, 4, NULL));
    REFUSED(bifold_reduce_many(queue, input, reductions, 0, NULL));
    wrong.result = NULL;
    REFUSED(bifold_reduce_many(queue, input, &wrong, 1, NULL));
    wrong = reductions[0];
    wrong.op = NULL;
    REFUSED(bifold_reduce_many(queue, input, &wrong, 1, NULL));
    wrong.op = own;
    REFUSED(bifold_reduce_many(queue, input, &wrong, 1, NULL));
    wrong = reductions[0];
    wrong.type = 199;
    REFUSED(bifold_reduce_many(queue, input, &wrong, 1, NULL));
    CHECK(sum == 99 && low == 99 && all == 99 && squares == 99);
    OK(bifold_reduce_many(queue, input, reductions, 4, NULL));
  }
  CHECK(sum == sum_expected + 100 && low == -2000 && all == 0 && squares == squares_expected);
  bifold_operator_destroy(own);
  bifold_map_destroy(square);
}

void test_reductions(void) {
  const bifold_view input = numbers();
  test_extremes(input);
  test_count(input);
  test_find(input);
  test_products(input);
  test_compensated(input);
  test_zeros();
  test_many(input);
  bifold_buffer_destroy(input.buffer);
}
