/* Accumulations: arrays that come in chunks. */
#include "numbers.h"

enum { n = 50000, middle = 12345, room = 65536 };
static float host[n];
static unsigned char saved[room];

static void reductions(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  bifold_reduce_shape shape = {
      .struct_size = sizeof shape, .op = plus, .input = BIFOLD_F32, .accumulator = BIFOLD_F32};
  const bifold_accumulation_options small = {.struct_size = sizeof small, .piece_bytes = 20000};
  const bifold_accumulation_options none = {.struct_size = 0, .piece_bytes = 1};
  float init = 0.5F;
  float want = 0;
  float sum = 0;
  uint64_t index = 0;
  uint64_t found = 0;
  uint64_t count = 0;
  size_t size = 0;
  bifold_accumulation* sums = NULL;
  bifold_accumulation* others = NULL;
  bifold_accumulation* least = NULL;

  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, &init, &want, NULL));
  FAILS(bifold_reduce_accumulation_create(queue, &shape, &init, &none, &sums),
        BIFOLD_INVALID_ARGUMENT);
  OK(bifold_reduce_accumulation_create(queue, &shape, &init, &small, &sums));
  OK(bifold_reduce_accumulation_create(queue, &shape, &init, NULL, &others));
  OK(bifold_accumulation_feed(sums, part(input, 0, middle), NULL));
  OK(bifold_accumulation_save(sums, NULL, 0, &size));
  CHECK(size > middle % 4096 * sizeof(float) && size <= room);
  FAILS(bifold_accumulation_save(sums, saved, size - 1, &size), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_accumulation_save(sums, saved, sizeof saved, &size));
  OK(bifold_accumulation_resume(others, saved, size));
  saved[size / 2] ^= 1;
  FAILS(bifold_accumulation_resume(others, saved, size), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("damaged"));
  OK(bifold_accumulation_feed_host(others, host + middle, NULL, n - middle));
  OK(bifold_accumulation_value(others, &sum, NULL));
  CHECK(same(&want, &sum, sizeof sum));
  OK(bifold_accumulation_count(others, &count));
  CHECK(count == n);
  FAILS(bifold_accumulation_value(others, &sum, &index), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_accumulation_feed(others, input, &input), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_accumulation_feed_host(others, NULL, NULL, 1), BIFOLD_INVALID_ARGUMENT);

  OK(bifold_argmin(queue, input, &want, &index, NULL));
  OK(bifold_argmin_accumulation_create(queue, BIFOLD_F32, NULL, &least));
  OK(bifold_accumulation_feed(least, part(input, 0, middle), NULL));
  OK(bifold_accumulation_feed(least, part(input, middle, n - middle), NULL));
  OK(bifold_accumulation_value(least, &sum, &found));
  CHECK(same(&want, &sum, sizeof sum) && index == found);
  FAILS(bifold_accumulation_value(least, &sum, NULL), BIFOLD_INVALID_ARGUMENT);
  bifold_accumulation_destroy(least);
  OK(bifold_argmax_accumulation_create(queue, BIFOLD_F32, NULL, &least));
  bifold_accumulation_destroy(least);
  bifold_accumulation_destroy(sums);
  bifold_accumulation_destroy(others);
}

static void pairs(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_type f32 = BIFOLD_F32;
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = BIFOLD_F32,
                               .accumulator = BIFOLD_F32,
                               .second = &f32};
  float want = 0;
  float sum = 0;
  bifold_map* product = NULL;
  bifold_accumulation* sums = NULL;
  OK(bifold_map_create("x * y", &product));
  shape.map = product;
  OK(bifold_transform_reduce_pairs(queue, input, input, plus, product, BIFOLD_F32, NULL, &want,
                                   NULL));
  OK(bifold_reduce_accumulation_create(queue, &shape, NULL, NULL, &sums));
  OK(bifold_accumulation_feed_pairs(sums, part(input, 0, middle), part(input, 0, middle)));
  FAILS(bifold_accumulation_feed(sums, input, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("of two arrays is fed one"));
  FAILS(bifold_accumulation_feed_host_pairs(sums, host, NULL, 1), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_accumulation_feed_host_pairs(sums, host + middle, host + middle, n - middle));
  OK(bifold_accumulation_value(sums, &sum, NULL));
  CHECK(same(&want, &sum, sizeof sum));
  bifold_accumulation_destroy(sums);
  bifold_map_destroy(product);
}

static void scans(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  bifold_scan_shape shape = {.struct_size = sizeof shape,
                             .op = plus,
                             .input = BIFOLD_F32,
                             .output = BIFOLD_F32,
                             .accumulator = BIFOLD_F32,
                             .kind = BIFOLD_EXCLUSIVE};
  const bifold_view output = allocated(BIFOLD_F32, n);
  const bifold_view first = part(output, 0, middle);
  static float want[n];
  static float got[n];
  float total = 0;
  float last = 0;
  bifold_accumulation* scan = NULL;

  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, NULL));
  OK(bifold_download(queue, part(output, n - 1, 1), &last));
  OK(bifold_exclusive_scan(queue, input, output, plus, NULL, NULL));
  OK(bifold_download(queue, output, want));
  OK(bifold_scan_accumulation_create(queue, &shape, NULL, NULL, &scan));
  OK(bifold_accumulation_feed(scan, part(input, 0, middle), &first));
  OK(bifold_accumulation_feed_host(scan, host + middle, got + middle, n - middle));
  OK(bifold_download(queue, first, got));
  CHECK(same(want, got, sizeof want));
  OK(bifold_accumulation_value(scan, &total, NULL));
  CHECK(same(&total, &last, sizeof total));
  FAILS(bifold_accumulation_feed(scan, input, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_accumulation_resume(scan, saved, 3), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_accumulation_feed_pairs(scan, input, input), BIFOLD_INVALID_ARGUMENT);
  bifold_accumulation_destroy(scan);
  scan = NULL;
  shape.kind = 9;
  FAILS(bifold_scan_accumulation_create(queue, &shape, NULL, NULL, &scan), BIFOLD_INVALID_ARGUMENT);
  CHECK(scan == NULL);
  bifold_buffer_destroy(output.buffer);
}

void test_accumulations(void) {
  make_numbers(host, n);
  const bifold_view input = uploaded(BIFOLD_F32, host, n);
  reductions(input);
  pairs(input);
  scans(input);
  bifold_buffer_destroy(input.buffer);
}
