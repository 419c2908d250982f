/* Reductions and scans of many lines, scans from the end, and what they leave in device memory. */
#include "harness.h"

#define REFUSED(call) FAILS(call, BIFOLD_INVALID_ARGUMENT)

enum { rows = 37, columns = 210, n = rows * columns };
static const bifold_lines by_rows = {rows, columns, 1, columns, 1, 0};
static const bifold_lines by_columns = {1, rows, columns, 0, columns, 1};
static int32_t host[n];

static int32_t at(int row, int column) { return host[row * columns + column]; }

static int32_t row_sum(int row) {
  int32_t sum = 0;
  int i = 0;
  for (i = 0; i < columns; ++i) sum += at(row, i);
  return sum;
}

static int32_t column_sum(int column) {
  int32_t sum = 0;
  int i = 0;
  for (i = 0; i < rows; ++i) sum += at(i, column);
  return sum;
}

static void test_reductions_of_lines(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view sums = allocated(BIFOLD_I32, columns);
  const bifold_view sparse = allocated(BIFOLD_I32, 2 * rows);
  const bifold_lines apart = {rows, 1, 1, 2, 1, 0};
  const bifold_lines backward = {rows, columns, 1, -columns, 1, 0};
  const uint32_t few = 5;
  const bifold_view count = uploaded(BIFOLD_U32, &few, 1);
  const int32_t untouched = -77, start = 1000;
  int32_t got[columns] = {0};
  bifold_map* product = NULL;
  bifold_options options = {.struct_size = sizeof options, .lines = &by_columns};
  int i = 0, wrong = 0;

  OK(bifold_reduce_into(queue, input, sums, plus, NULL, &options));
  OK(bifold_download(queue, sums, got));
  for (i = 0; i < columns; ++i) wrong += got[i] != column_sum(i);
  CHECK(wrong == 0);

  options.lines = &by_rows;
  options.output_lines = &apart;
  OK(bifold_fill(queue, sparse, &untouched));
  OK(bifold_reduce_into(queue, input, sparse, plus, &start, &options));
  OK(bifold_download(queue, sparse, got));
  for (i = 0; i < rows; ++i) {
    wrong += got[2 * i] != start + row_sum(i) || got[2 * i + 1] != untouched;
  }
  CHECK(wrong == 0);

  options.output_lines = NULL;
  options.lines = &backward;
  options.lines_from = &count;
  OK(bifold_fill(queue, sums, &untouched));
  OK(bifold_reduce_into(queue, input, (bifold_view){sums.buffer, BIFOLD_I32, 0, rows}, plus, NULL,
                        &options));
  OK(bifold_download(queue, sums, got));
  for (i = 0; i < rows; ++i) wrong += got[i] != (i < 5 ? row_sum(rows - 1 - i) : untouched);
  CHECK(wrong == 0);

  /* Each row times the first one. */
  const bifold_lines first_row = {rows, columns, 1, 0, 1, 0};
  OK(bifold_map_create("x * y", &product));
  options = (bifold_options){
      .struct_size = sizeof options, .lines = &by_rows, .second_lines = &first_row};
  OK(bifold_transform_reduce_pairs_into(queue, input, input,
                                        (bifold_view){sums.buffer, BIFOLD_I32, 0, rows}, plus,
                                        product, NULL, &options));
  OK(bifold_download(queue, sums, got));
  for (i = 0; i < rows; ++i) {
    int32_t sum = 0;
    int k = 0;
    for (k = 0; k < columns; ++k) sum += at(i, k) * at(0, k);
    wrong += got[i] != sum;
  }
  CHECK(wrong == 0);
  bifold_map_destroy(product);

  options = (bifold_options){.struct_size = sizeof options, .lines = &by_rows, .reverse = 1};
  REFUSED(bifold_reduce_into(queue, input, sums, plus, NULL, &options));
  CHECK(says("reverse"));
  options.reverse = 0;
  REFUSED(bifold_reduce(queue, input, plus, BIFOLD_I32, NULL, got, &options));
  REFUSED(bifold_reduce_into(queue, (bifold_view){input.buffer, BIFOLD_I32, 0, n - 1}, sums, plus,
                             NULL, &options));
  /* As a caller of an earlier version has it: lines are beyond its struct. */
  options.struct_size = offsetof(bifold_options, lines);
  OK(bifold_reduce(queue, input, plus, BIFOLD_I32, NULL, got, &options));

  bifold_buffer_destroy(count.buffer);
  bifold_buffer_destroy(sparse.buffer);
  bifold_buffer_destroy(sums.buffer);
}

static void test_scans_of_lines(bifold_view input) {
  static int32_t out[n];
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view output = allocated(BIFOLD_I32, n);
  const bifold_view totals = allocated(BIFOLD_I32, columns);
  int32_t starts[columns] = {0}, got[columns] = {0};
  bifold_options options = {.struct_size = sizeof options, .lines = &by_columns, .total = &totals};
  int i = 0, k = 0, wrong = 0;
  for (i = 0; i < columns; ++i) starts[i] = 10 * i;
  const bifold_view inits = uploaded(BIFOLD_I32, starts, columns);

  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, output, out));
  OK(bifold_download(queue, totals, got));
  for (i = 0; i < columns; ++i) {
    int32_t sum = 0;
    for (k = 0; k < rows; ++k) wrong += out[k * columns + i] != (sum += at(k, i));
    wrong += got[i] != sum;
  }
  CHECK(wrong == 0);

  /* From the end, each column with an initial value of its own, into the transposed matrix. */
  const bifold_lines transposed = {1, rows, columns, 0, 1, rows};
  options = (bifold_options){.struct_size = sizeof options,
                             .init_from = &inits,
                             .lines = &by_columns,
                             .output_lines = &transposed,
                             .reverse = 1};
  OK(bifold_exclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < columns; ++i) {
    int32_t sum = starts[i];
    for (k = rows - 1; k >= 0; --k) {
      wrong += out[i * rows + k] != sum;
      sum += at(k, i);
    }
  }
  CHECK(wrong == 0);

  options = (bifold_options){.struct_size = sizeof options, .reverse = 1};
  OK(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  OK(bifold_download(queue, output, out));
  int32_t sum = 0;
  for (i = n - 1; i >= 0; --i) wrong += out[i] != (sum += host[i]);
  CHECK(wrong == 0);

  options =
      (bifold_options){.struct_size = sizeof options, .lines = &by_rows, .second_lines = &by_rows};
  REFUSED(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  CHECK(says("second_lines"));
  const bifold_lines overlapping = {rows, columns, 1, columns - 1, 1, 0};
  options.second_lines = NULL;
  options.output_lines = &overlapping;
  REFUSED(bifold_inclusive_scan(queue, input, output, plus, NULL, &options));
  CHECK(says("overlap"));

  bifold_buffer_destroy(inits.buffer);
  bifold_buffer_destroy(totals.buffer);
  bifold_buffer_destroy(output.buffer);
}

static void test_plans_of_lines(bifold_view input) {
  static int32_t out[n];
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view output = allocated(BIFOLD_I32, n);
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = plus,
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I32,
                               .lines = 1};
  const bifold_scan_shape scan = {.struct_size = sizeof scan,
                                  .op = plus,
                                  .input = BIFOLD_I32,
                                  .output = BIFOLD_I32,
                                  .accumulator = BIFOLD_I32,
                                  .lines = 1,
                                  .reverse = 1};
  bifold_options options = {.struct_size = sizeof options, .lines = &by_rows};
  bifold_plan *plan = NULL, *scan_plan = NULL;
  bifold_workspace* workspace = NULL;
  uint64_t bytes = 99;
  int i = 0, k = 0, wrong = 0;

  OK(bifold_reduce_plan_create(device, &shape, &plan));
  REFUSED(bifold_plan_workspace_bytes_of_lines(NULL, &by_rows, &bytes));
  REFUSED(bifold_plan_workspace_bytes_of_lines(plan, NULL, &bytes));
  REFUSED(bifold_plan_workspace_bytes_of_lines(plan, &by_rows, NULL));
  CHECK(bytes == 99);
  OK(bifold_plan_workspace_bytes_of_lines(plan, &by_rows, &bytes));
  const bifold_view scratch = allocated(BIFOLD_U8, bytes);
  OK(bifold_workspace_create(scratch, &workspace));
  options.workspace = workspace;
  OK(bifold_plan_run(plan, queue, input, (bifold_view){output.buffer, BIFOLD_I32, 0, rows}, NULL,
                     &options));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < rows; ++i) wrong += out[i] != row_sum(i);
  CHECK(wrong == 0);
  options.workspace = NULL;

  OK(bifold_scan_plan_create(device, &scan, &scan_plan));
  OK(bifold_plan_run(scan_plan, queue, input, output, NULL, &options));
  OK(bifold_download(queue, output, out));
  for (i = 0; i < rows; ++i) {
    int32_t sum = 0;
    for (k = columns - 1; k >= 0; --k) wrong += out[i * columns + k] != (sum += at(i, k));
  }
  CHECK(wrong == 0);

  bifold_plan_destroy(scan_plan);
  bifold_plan_destroy(plan);
  plan = NULL;
  shape.lines = 0;
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  REFUSED(bifold_plan_run(plan, queue, input, output, NULL, &options));
  CHECK(says("without lines"));
  bifold_plan_destroy(plan);
  plan = NULL;
  shape.on_device = BIFOLD_LINES_U32 | BIFOLD_LINES_U64;
  REFUSED(bifold_reduce_plan_create(device, &shape, &plan));
  CHECK(plan == NULL && says("on_device"));
  bifold_workspace_destroy(workspace);
  bifold_buffer_destroy(scratch.buffer);
  bifold_buffer_destroy(output.buffer);
}

typedef struct indexed {
  int32_t value;
  uint64_t index;
} indexed;
typedef struct min_max {
  int32_t minimum, maximum;
} min_max;
typedef struct compensated {
  float sum, error;
} compensated;

static bifold_type struct_of(const char* name, size_t size, bifold_type first,
                             const char* first_name, bifold_type second, const char* second_name,
                             size_t offset) {
  const bifold_field fields[] = {{first_name, first, 0}, {second_name, second, offset}};
  bifold_type type = 0;
  OK(bifold_struct_type(name, size, fields, 2, &type));
  return type;
}

static void test_everyday_reductions_of_lines(bifold_view input) {
  const bifold_view places = allocated(
      struct_of("Indexed_i32", sizeof(indexed), BIFOLD_I32, "value", BIFOLD_U64, "index", 8), rows);
  const bifold_view extremes = allocated(
      struct_of("MinMax_i32", sizeof(min_max), BIFOLD_I32, "minimum", BIFOLD_I32, "maximum", 4),
      rows);
  const bifold_view sums = allocated(struct_of("CompensatedSum_f32", sizeof(compensated),
                                               BIFOLD_F32, "sum", BIFOLD_F32, "error", 4),
                                     rows);
  const bifold_view counts = allocated(BIFOLD_U64, rows);
  const bifold_view indices = allocated(BIFOLD_I64, rows);
  const bifold_options options = {.struct_size = sizeof options, .lines = &by_rows};
  const float half = 0.5F;
  bifold_map* positive = NULL;
  indexed low[rows], high[rows];
  min_max both[rows];
  compensated exact[rows];
  uint64_t count[rows];
  int64_t index[rows];
  int i = 0, k = 0, wrong = 0;

  OK(bifold_map_create("x > 0", &positive));
  OK(bifold_argmin_into(queue, input, places, &options));
  OK(bifold_download(queue, places, low));
  OK(bifold_argmax_into(queue, input, places, &options));
  OK(bifold_download(queue, places, high));
  OK(bifold_argmax_into(queue, input, indices, &options));
  OK(bifold_download(queue, indices, index));
  OK(bifold_minmax_into(queue, input, extremes, &options));
  OK(bifold_download(queue, extremes, both));
  OK(bifold_count_if_into(queue, input, counts, positive, &options));
  OK(bifold_download(queue, counts, count));
  OK(bifold_sum_compensated_into(queue, input, sums, &half, &options));
  OK(bifold_download(queue, sums, exact));
  for (i = 0; i < rows; ++i) {
    uint64_t least = 0, greatest = 0, positives = 0;
    for (k = 0; k < columns; ++k) {
      if (at(i, k) < at(i, (int)least)) least = (uint64_t)k;
      if (at(i, k) > at(i, (int)greatest)) greatest = (uint64_t)k;
      positives += at(i, k) > 0;
    }
    wrong += low[i].index != least || low[i].value != at(i, (int)least);
    wrong += high[i].index != greatest || high[i].value != at(i, (int)greatest);
    wrong += index[i] != (int64_t)greatest;
    wrong += both[i].minimum != low[i].value || both[i].maximum != high[i].value;
    wrong += count[i] != positives;
    wrong += exact[i].sum + exact[i].error != (float)row_sum(i) + half;
  }
  CHECK(wrong == 0);

  REFUSED(bifold_argmin_into(queue, input, extremes, &options));
  REFUSED(bifold_argmax_into(NULL, input, places, &options));
  REFUSED(bifold_minmax_into(queue, input, (bifold_view){NULL, BIFOLD_I32, 0, rows}, &options));
  REFUSED(bifold_count_if_into(queue, input, counts, NULL, &options));
  REFUSED(bifold_count_if_into(queue, input, input, positive, &options));
  REFUSED(bifold_sum_compensated_into(queue, input, places, NULL, &options));
  CHECK(says("CompensatedSum_f32"));
  bifold_map_destroy(positive);
  bifold_buffer_destroy(indices.buffer);
  bifold_buffer_destroy(counts.buffer);
  bifold_buffer_destroy(sums.buffer);
  bifold_buffer_destroy(extremes.buffer);
  bifold_buffer_destroy(places.buffer);
}

typedef struct three {
  int64_t sum;
  int32_t least, odd;
} three;

static void test_several_results_of_lines(bifold_view input) {
  const bifold_field fields[] = {
      {"sum", BIFOLD_I64, 0}, {"least", BIFOLD_I32, 8}, {"odd", BIFOLD_I32, 12}};
  const bifold_options options = {.struct_size = sizeof options, .lines = &by_rows};
  const bifold_view products = allocated(BIFOLD_I64, rows);
  const int64_t start = 1000;
  bifold_map* odd = NULL;
  bifold_type type = 0;
  three got[rows];
  int64_t squares[rows];
  int i = 0, k = 0, wrong = 0;

  OK(bifold_map_create("x & 1", &odd));
  OK(bifold_struct_type("Three", sizeof(three), fields, 3, &type));
  const bifold_view results = allocated(type, rows);
  bifold_reduction reductions[] = {
      {.op = bifold_builtin_operator(BIFOLD_PLUS), .init = &start, .type = BIFOLD_I64},
      {.op = bifold_builtin_operator(BIFOLD_MINIMUM), .type = BIFOLD_I32},
      {.op = bifold_builtin_operator(BIFOLD_PLUS), .map = odd, .type = BIFOLD_I32}};
  OK(bifold_reduce_many_into(queue, input, results, reductions, 3, &options));
  OK(bifold_download(queue, results, got));
  OK(bifold_inner_product_into(queue, input, input, products, &start, &options));
  OK(bifold_download(queue, products, squares));
  for (i = 0; i < rows; ++i) {
    int64_t square = start;
    int32_t least = INT32_MAX, odds = 0;
    for (k = 0; k < columns; ++k) {
      square += (int64_t)at(i, k) * at(i, k);
      if (at(i, k) < least) least = at(i, k);
      odds += at(i, k) & 1;
    }
    wrong += got[i].sum != start + row_sum(i) || got[i].least != least || got[i].odd != odds;
    wrong += squares[i] != square;
  }
  CHECK(wrong == 0);

  REFUSED(bifold_reduce_many_into(queue, input, results, reductions, 2, &options));
  CHECK(says("Three"));
  REFUSED(bifold_reduce_many_into(queue, input, products, reductions, 3, &options));
  REFUSED(bifold_reduce_many_into(queue, input, results, NULL, 3, &options));
  REFUSED(bifold_reduce_many_into(queue, input, results, reductions, 0, &options));
  REFUSED(bifold_reduce_many_into(NULL, input, results, reductions, 3, &options));
  REFUSED(bifold_inner_product_into(queue, input, input, results, NULL, &options));
  REFUSED(bifold_inner_product_into(queue, input, (bifold_view){input.buffer, BIFOLD_I32, 0, n - 1},
                                    products, NULL, &options));
  REFUSED(bifold_inner_product_into(NULL, input, input, products, NULL, &options));
  reductions[1].op = NULL;
  REFUSED(bifold_reduce_many_into(queue, input, results, reductions, 3, &options));
  bifold_map_destroy(odd);
  bifold_buffer_destroy(results.buffer);
  bifold_buffer_destroy(products.buffer);
}

void test_lines(void) {
  bifold_view input;
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = (i * 31) % 199 - 90;
  input = uploaded(BIFOLD_I32, host, n);
  test_reductions_of_lines(input);
  test_scans_of_lines(input);
  test_plans_of_lines(input);
  test_everyday_reductions_of_lines(input);
  test_several_results_of_lines(input);
  bifold_buffer_destroy(input.buffer);
}
