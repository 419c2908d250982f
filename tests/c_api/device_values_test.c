/* n, the initial value and a scan's total in device memory. */
#include "harness.h"

enum { n = 3000, few = 1234 };
static int32_t host[n];

static int64_t host_sum(int count) {
  int64_t sum = 0;
  int i = 0;
  for (i = 0; i < count; ++i) sum += host[i];
  return sum;
}

/* The total of one call is the next one's n and initial value. */
static void test_calls(bifold_view input) {
  static int32_t out[n];
  static const uint32_t ones[few];
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view output = allocated(BIFOLD_I32, n);
  const bifold_view flags = uploaded(BIFOLD_U32, ones, few);
  const bifold_view places = allocated(BIFOLD_U32, few);
  const bifold_view count = allocated(BIFOLD_U32, 1);
  const bifold_view total = allocated(BIFOLD_I32, 1);
  const bifold_view sum = allocated(BIFOLD_I32, 1);
  const uint32_t one = 1;
  const int32_t start = 50, untouched = -77;
  int32_t got = 0;
  int i = 0, wrong = 0;
  bifold_options counts = {.struct_size = sizeof counts, .total = &count};
  bifold_options sums = {.struct_size = sizeof sums, .count_from = &count, .total = &total};
  bifold_options again = {.struct_size = sizeof again, .count_from = &count, .init_from = &sum};

  OK(bifold_fill(queue, flags, &one));
  OK(bifold_fill(queue, output, &untouched));
  OK(bifold_exclusive_scan(queue, flags, places, plus, NULL, &counts));
  OK(bifold_inclusive_scan(queue, input, output, plus, &start, &sums));
  OK(bifold_reduce_into(
      queue, input, sum, plus, &start,
      &(bifold_options){
          .struct_size = sizeof(bifold_options), .count_from = &count, .init_from = &total}));
  OK(bifold_reduce_into(queue, input, sum, plus, NULL, &again));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < n; ++i) wrong += out[i] != (i < few ? start + host_sum(i + 1) : untouched);
  CHECK(wrong == 0);
  OK(bifold_download(queue, total, &got));
  CHECK(got == start + host_sum(few));
  OK(bifold_download(queue, sum, &got));
  CHECK(got == start + 3 * host_sum(few));
  OK(bifold_reduce(queue, input, plus, BIFOLD_I32, NULL, &got, &again));
  CHECK(got == start + 4 * host_sum(few));

  again.total = &total;
  FAILS(bifold_reduce_into(queue, input, sum, plus, NULL, &again), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("total"));
  sums.init_from = &count;
  FAILS(bifold_inclusive_scan(queue, input, output, plus, NULL, &sums), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("init_from"));
  sums.init_from = NULL;
  sums.variant = "blelloch";
  FAILS(bifold_inclusive_scan(queue, input, output, plus, NULL, &sums), BIFOLD_UNSUPPORTED);
  CHECK(says("take n and the initial value from the host only"));

  bifold_buffer_destroy(sum.buffer);
  bifold_buffer_destroy(total.buffer);
  bifold_buffer_destroy(count.buffer);
  bifold_buffer_destroy(places.buffer);
  bifold_buffer_destroy(flags.buffer);
  bifold_buffer_destroy(output.buffer);
}

static void test_plans_of_values(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const uint64_t beyond = UINT64_MAX;
  const bifold_view count = uploaded(BIFOLD_U64, &beyond, 1);
  const bifold_view sum = allocated(BIFOLD_I32, 1);
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I32,
                               .on_device = BIFOLD_COUNT_U64};
  bifold_scan_shape scan = {.struct_size = sizeof scan,
                            .op = plus,
                            .input = BIFOLD_I32,
                            .output = BIFOLD_I32,
                            .accumulator = BIFOLD_I32,
                            .on_device = BIFOLD_INIT | BIFOLD_TOTAL};
  bifold_options options = {.struct_size = sizeof options, .count_from = &count};
  bifold_plan *plan = NULL, *scan_plan = NULL;
  int32_t got = 0;

  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, sum, NULL, &options));
  OK(bifold_download(queue, sum, &got));
  CHECK(got == host_sum(n)); /* Not more than there is. */
  options.count_from = NULL;
  FAILS(bifold_plan_run(plan, queue, input, sum, NULL, &options), BIFOLD_INVALID_ARGUMENT);

  OK(bifold_scan_plan_create(device, &scan, &scan_plan));
  options.init_from = &sum;
  FAILS(bifold_plan_run(scan_plan, queue, input, input, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  options.total = &sum;
  FAILS(bifold_plan_run(scan_plan, queue, input, input, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("overlap"));
  bifold_plan_destroy(scan_plan);
  bifold_plan_destroy(plan);
  plan = NULL;

  shape.on_device = BIFOLD_COUNT_U32 | BIFOLD_COUNT_U64;
  FAILS(bifold_reduce_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  shape.on_device = BIFOLD_TOTAL;
  FAILS(bifold_reduce_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  scan.on_device = 64;
  FAILS(bifold_scan_plan_create(device, &scan, &plan), BIFOLD_INVALID_ARGUMENT);
  CHECK(plan == NULL);
  /* As a caller of an earlier version has it: on_device is beyond its struct. */
  scan.struct_size = offsetof(bifold_scan_shape, on_device);
  OK(bifold_scan_plan_create(device, &scan, &plan));
  bifold_plan_destroy(plan);
  bifold_buffer_destroy(sum.buffer);
  bifold_buffer_destroy(count.buffer);
}

void test_device_values(void) {
  bifold_view input;
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = i % 17 - 3;
  input = uploaded(BIFOLD_I32, host, n);
  test_calls(input);
  test_plans_of_values(input);
  bifold_buffer_destroy(input.buffer);
}
