/* Reduce, scan, plans. */
#include <string.h>

#include "harness.h"

enum { n = 10007 };
static int32_t host[n];

static bifold_view numbers(void) {
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = i % 17 - 3;
  return uploaded(BIFOLD_I32, host, n);
}

static int64_t host_sum(void) {
  int64_t sum = 0;
  int i = 0;
  for (i = 0; i < n; ++i) sum += host[i];
  return sum;
}

static void test_linear_recurrence(void) {
  static const float gates[] = {2, 0.5f, -1, 4}, tokens[] = {1, 3, 0.25f, -2};
  static const float forward[] = {7, 6.5f, -6.25f, -27}, backward[] = {7.5f, 3.25f, 0.5f, -0.25f};
  const float h0 = 3, end = 0.4375f;
  float got[4] = {0};
  bifold_view a = uploaded(BIFOLD_F32, gates, 4), b = uploaded(BIFOLD_F32, tokens, 4);
  bifold_view h = allocated(BIFOLD_F32, 4), shorter = b;
  bifold_options options = {.struct_size = sizeof options}, more = options;
  OK(bifold_linear_recurrence(queue, a, b, h, &h0, NULL));
  OK(bifold_download(queue, h, got));
  CHECK(memcmp(got, forward, sizeof got) == 0);
  options.reverse = true;
  OK(bifold_linear_recurrence(queue, a, b, b, &end, &options));
  OK(bifold_download(queue, b, got));
  CHECK(memcmp(got, backward, sizeof got) == 0);
  shorter.count = 3;
  FAILS(bifold_linear_recurrence(queue, a, shorter, h, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  more.more_inputs = &b;
  more.more_input_count = 1;
  FAILS(bifold_linear_recurrence(queue, a, b, h, NULL, &more), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_linear_recurrence(NULL, a, b, h, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  bifold_buffer_destroy(a.buffer);
  bifold_buffer_destroy(b.buffer);
  bifold_buffer_destroy(h.buffer);
}

/* The largest sum of a run: an operator that does not commute, on a struct, with a map. */
typedef struct {
  int32_t best, prefix, suffix, total;
} Segment;

static void test_segments(bifold_view input) {
  static const bifold_field fields[] = {
      {"best", BIFOLD_I32, offsetof(Segment, best)},
      {"prefix", BIFOLD_I32, offsetof(Segment, prefix)},
      {"suffix", BIFOLD_I32, offsetof(Segment, suffix)},
      {"total", BIFOLD_I32, offsetof(Segment, total)},
  };
  const char* join =
      "make_CSegment(max(max(a.best, b.best), a.suffix + b.prefix),"
      " max(a.prefix, a.total + b.prefix), max(b.suffix, b.total + a.suffix), a.total + b.total)";
  const Segment nothing = {0, 0, 0, 0};
  Segment whole = {-1, -1, -1, -1}, again = whole;
  int32_t best = 0, here = 0;
  bifold_type type = 0;
  bifold_operator *op = NULL, *sums = NULL;
  bifold_map* map = NULL;
  const bifold_operator* plus4[4];
  bifold_view cell;
  bifold_options options = {.struct_size = sizeof options};
  int i = 0;

  for (i = 0; i < n; ++i) {
    here = here + host[i] > 0 ? here + host[i] : 0;
    best = here > best ? here : best;
  }
  for (i = 0; i < 4; ++i) plus4[i] = bifold_builtin_operator(BIFOLD_PLUS);
  OK(bifold_struct_type("CSegment", sizeof(Segment), fields, 4, &type));
  OK(bifold_operator_create("join", join, type, &nothing, BIFOLD_NON_COMMUTATIVE, &op));
  OK(bifold_map_create("make_CSegment(max(x, 0), max(x, 0), max(x, 0), x)", &map));
  OK(bifold_transform_reduce(queue, input, op, map, type, NULL, &whole, NULL));
  CHECK(whole.best == best && whole.total == host_sum());

  cell = allocated(type, 1);
  OK(bifold_transform_reduce_into(queue, input, cell, op, map, &nothing, NULL));
  OK(bifold_download(queue, cell, &again));
  CHECK(memcmp(&whole, &again, sizeof whole) == 0);

  /* A row that reorders operands is not for this operator. */
  options.variant = "catanzaro";
  FAILS(bifold_transform_reduce(queue, input, op, map, type, NULL, &whole, &options),
        BIFOLD_UNSUPPORTED);

  OK(bifold_operator_create_fieldwise(type, plus4, 4, &sums));
  OK(bifold_transform_reduce(queue, input, sums, map, type, NULL, &whole, NULL));
  CHECK(whole.total == host_sum() && whole.best == whole.prefix);
  plus4[2] = NULL;
  bifold_operator_destroy(sums);
  FAILS(bifold_operator_create_fieldwise(type, plus4, 4, &sums), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_operator_create_fieldwise(type, plus4, 2, &sums), BIFOLD_INVALID_ARGUMENT);

  bifold_buffer_destroy(cell.buffer);
  bifold_map_destroy(map);
  bifold_operator_destroy(op);
}

static void test_text_failure(bifold_view input) {
  const int32_t zero = 0;
  int32_t result = -1;
  bifold_operator* op = NULL;
  bifold_map* map = NULL;
  FAILS(bifold_operator_create("broken", "a + no_such_word(b)", BIFOLD_I32, &zero,
                               BIFOLD_COMMUTATIVE, &op),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(strstr(bifold_last_error(), "column 5") != NULL);
  CHECK(strstr(bifold_last_error(), "no_such_word") != NULL);
  OK(bifold_map_create("x & 1.0f", &map));
  FAILS(bifold_transform_reduce(queue, input, bifold_builtin_operator(BIFOLD_PLUS), map, BIFOLD_I32,
                                NULL, &result, NULL),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(strstr(bifold_last_error(), "column 3") != NULL);
  CHECK(result == -1);
  bifold_map_destroy(map);
}

void test_reduce(void) {
  const bifold_view input = numbers();
  const bifold_view part = {input.buffer, BIFOLD_I32, 3, 5};
  const bifold_view nothing = {input.buffer, BIFOLD_I32, 3, 0};
  const bifold_view cell = allocated(BIFOLD_I64, 1);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_operator* maximum = bifold_builtin_operator(BIFOLD_MAXIMUM);
  const int64_t hundred = 100;
  int64_t sum = -1;
  int32_t largest = -1;
  float real = -1;
  bifold_map* square = NULL;
  bifold_type accumulate = BIFOLD_I64;
  bifold_options options = {.struct_size = sizeof options};

  OK(bifold_reduce(queue, input, plus, BIFOLD_I64, &hundred, &sum, NULL));
  CHECK(sum == host_sum() + 100);
  OK(bifold_reduce(queue, part, plus, BIFOLD_I64, NULL, &sum, NULL));
  CHECK(sum == 0 + 1 + 2 + 3 + 4);
  OK(bifold_reduce(queue, nothing, plus, BIFOLD_I64, &hundred, &sum, NULL));
  CHECK(sum == 100);
  OK(bifold_reduce(queue, input, maximum, BIFOLD_I32, NULL, &largest, NULL));
  CHECK(largest == 13);
  OK(bifold_reduce_into(queue, input, cell, plus, &hundred, NULL));
  OK(bifold_download(queue, cell, &sum));
  CHECK(sum == host_sum() + 100);
  OK(bifold_map_create("x * x", &square));
  OK(bifold_transform_reduce(queue, part, plus, square, BIFOLD_I64, NULL, &sum, NULL));
  CHECK(sum == 0 + 1 + 4 + 9 + 16);
  bifold_map_destroy(square);

  options.variant = "staged_ordered_and_misspelt";
  sum = -5;
  FAILS(bifold_reduce(queue, input, plus, BIFOLD_I64, NULL, &sum, &options),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(sum == -5);
  options.variant = "ordered";
  OK(bifold_reduce(queue, input, plus, BIFOLD_I64, NULL, &sum, &options));
  CHECK(sum == host_sum());
  options.accumulate = &accumulate;
  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, NULL, &real, &options));
  CHECK(real == (float)host_sum());
  FAILS(bifold_reduce(queue, input, bifold_builtin_operator(BIFOLD_BIT_AND), BIFOLD_F32, NULL,
                      &real, NULL),
        BIFOLD_INVALID_ARGUMENT);
  test_segments(input);
  test_text_failure(input);
  bifold_buffer_destroy(cell.buffer);
  bifold_buffer_destroy(input.buffer);
}

/* Sums that f32 cannot hold while they are counted in ones, as they are with `accumulate`. */
static void test_accumulate(void) {
  static const int32_t large[] = {1 << 24, 1, 1};
  const bifold_type exact = BIFOLD_I32;
  const bifold_options options = {.struct_size = sizeof options, .accumulate = &exact};
  const bifold_view input = uploaded(BIFOLD_I32, large, 3);
  const bifold_view output = allocated(BIFOLD_F32, 3);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  float sums[3] = {0};
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, NULL));
  OK(bifold_download(queue, output, sums));
  CHECK(sums[2] == 16777216.0F);
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, output, sums));
  CHECK(sums[2] == 16777218.0F);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}

/* Halves of sums, whose initial value is a sum; and callers that know of no result maps. */
static void test_result_maps(const bifold_operator* plus) {
  static const int32_t values[] = {3, 4, 8};
  const bifold_type sums = BIFOLD_I32;
  const int32_t begin = 100;
  const bifold_view input = uploaded(BIFOLD_I32, values, 3);
  const bifold_view output = allocated(BIFOLD_F32, 3);
  const bifold_view cell = {output.buffer, BIFOLD_F32, 1, 1};
  bifold_options options = {
      .struct_size = sizeof options, .accumulate = &sums, .result_map = "s * 0.5f"};
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I32,
                               .result_map = "s + 1"};
  bifold_plan* plan = NULL;
  float halves[3] = {0};
  float sum = 0;
  int32_t more = 0;
  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, &begin, &sum, &options));
  CHECK(sum == 57.5F);
  OK(bifold_inclusive_scan(queue, input, output, plus, &begin, &options));
  OK(bifold_reduce_into(queue, input, cell, plus, &begin, &options));
  OK(bifold_download(queue, output, halves));
  CHECK(halves[0] == 51.5F && halves[1] == 57.5F && halves[2] == 57.5F);
  OK(bifold_inner_product(queue, input, input, BIFOLD_F32, &begin, &sum, &options));
  OK(bifold_inner_product_into(queue, input, input, cell, &begin, &options));
  OK(bifold_download(queue, output, halves));
  CHECK(sum == 94.5F && halves[1] == 94.5F);
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, (bifold_view){output.buffer, BIFOLD_I32, 0, 1}, &begin,
                     NULL));
  OK(bifold_download(queue, (bifold_view){output.buffer, BIFOLD_I32, 0, 1}, &more));
  CHECK(more == 116);
  bifold_plan_destroy(plan);
  options.result_map = "s + x";
  FAILS(bifold_reduce(queue, input, plus, BIFOLD_F32, NULL, &sum, &options),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("column 5"));
  options.struct_size = offsetof(bifold_options, result_map);
  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, NULL, &sum, &options));
  CHECK(sum == 15);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}

void test_scan(void) {
  static int64_t out[n];
  static int32_t narrow[n];
  const bifold_view input = numbers();
  const bifold_view output = allocated(BIFOLD_I64, n);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const int64_t start = 1000;
  const bifold_type wide = BIFOLD_I64;
  bifold_options options = {.struct_size = sizeof options};
  bifold_view shifted = input;
  int64_t sum = 0;
  int i = 0, wrong = 0;

  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, NULL));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < n; ++i) wrong += out[i] != (sum += host[i]);
  CHECK(wrong == 0);

  OK(bifold_exclusive_scan(queue, input, output, plus, &start, NULL));
  OK(bifold_download(queue, output, out));
  for (i = 0, sum = start; i < n; sum += host[i++]) wrong += out[i] != sum;
  CHECK(wrong == 0);

  /* In place, accumulated in a wider type; no other overlap. */
  options.accumulate = &wide;
  OK(bifold_inclusive_scan(queue, input, input, plus, NULL, &options));
  OK(bifold_download(queue, input, narrow));
  CHECK(narrow[n - 1] == host_sum());
  shifted.offset = 1;
  shifted.count = n - 1;
  {
    bifold_view front = input;
    front.count = n - 1;
    FAILS(bifold_inclusive_scan(queue, front, shifted, plus, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  }
  FAILS(bifold_inclusive_scan(queue, shifted, output, plus, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  test_accumulate();
  test_result_maps(plus);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
  test_linear_recurrence();
}

void test_plans(void) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_scan_shape scan = {.struct_size = sizeof scan,
                                  .op = plus,
                                  .variant = "reduce_then_scan",
                                  .input = BIFOLD_I32,
                                  .output = BIFOLD_I32,
                                  .accumulator = BIFOLD_I32,
                                  .kind = BIFOLD_EXCLUSIVE};
  bifold_scan_shape wrong = scan;
  const bifold_reduce_shape reduce = {
      .struct_size = sizeof reduce, .op = plus, .input = BIFOLD_I32, .accumulator = BIFOLD_I64};
  bifold_plan *plan = NULL, *sum_plan = NULL;
  bifold_workspace* workspace = NULL;
  bifold_event* done = NULL;
  bifold_options options = {.struct_size = sizeof options};
  bifold_view input = numbers();
  const bifold_view cell = allocated(BIFOLD_I64, 1);
  bifold_view scratch, small;
  uint64_t bytes = 0, fewer = 0;
  int32_t last = 0;
  int64_t sum = 0;
  int round = 0;

  OK(bifold_scan_plan_create(device, &scan, &plan));
  CHECK(strcmp(bifold_plan_variant(plan), "reduce_then_scan") == 0);
  OK(bifold_plan_workspace_bytes(plan, n, &bytes));
  OK(bifold_plan_workspace_bytes(plan, 1, &fewer));
  CHECK(bytes > 0 && fewer <= bytes);

  scratch = allocated(BIFOLD_U8, bytes);
  small = scratch;
  small.count = bytes - 1;
  OK(bifold_workspace_create(small, &workspace));
  options.workspace = workspace;
  FAILS(bifold_plan_run(plan, queue, input, input, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  bifold_workspace_destroy(workspace);

  /* Raw, prepared and released. The workspace keeps its memory. */
  OK(bifold_workspace_create(scratch, &workspace));
  bifold_buffer_destroy(scratch.buffer);
  options.workspace = workspace;
  options.done = &done;
  for (round = 0; round < 3; ++round) {
    if (round == 1) OK(bifold_workspace_prepare(workspace, queue));
    if (round == 2) OK(bifold_workspace_release(workspace));
    OK(bifold_upload(queue, host, input));
    OK(bifold_plan_run(plan, queue, input, input, NULL, &options));
    OK(bifold_event_wait(done, BIFOLD_NO_LIMIT));
    bifold_event_destroy(done);
    input.offset = n - 1;
    input.count = 1;
    OK(bifold_download(queue, input, &last));
    CHECK(last == host_sum() - host[n - 1]);
    input.offset = 0;
    input.count = n;
  }
  bifold_workspace_destroy(workspace);

  OK(bifold_reduce_plan_create(device, &reduce, &sum_plan));
  OK(bifold_upload(queue, host, input));
  OK(bifold_plan_run(sum_plan, queue, input, cell, NULL, NULL));
  OK(bifold_download(queue, cell, &sum));
  CHECK(sum == host_sum());
  FAILS(bifold_plan_run(sum_plan, queue, input, input, NULL, NULL), BIFOLD_INVALID_ARGUMENT);

  wrong.kind = 2;
  FAILS(bifold_scan_plan_create(device, &wrong, &plan), BIFOLD_INVALID_ARGUMENT);
  wrong = scan;
  wrong.input = 10;
  FAILS(bifold_scan_plan_create(device, &wrong, &plan), BIFOLD_INVALID_ARGUMENT);
  wrong = scan;
  wrong.variant = "misspelt";
  FAILS(bifold_scan_plan_create(device, &wrong, &plan), BIFOLD_INVALID_ARGUMENT);
  wrong = scan;
  wrong.op = NULL;
  FAILS(bifold_scan_plan_create(device, &wrong, &plan), BIFOLD_INVALID_ARGUMENT);

  bifold_plan_destroy(sum_plan);
  bifold_plan_destroy(plan);
  bifold_buffer_destroy(cell.buffer);
  bifold_buffer_destroy(input.buffer);
}
