/* Complex elements: their numbers, sums, products and scans. */
#include "harness.h"

typedef struct Complex64 {
  float re, im;
} Complex64;

static bool equal(Complex64 left, float re, float im) { return left.re == re && left.im == im; }

static void test_numbers(void) {
  const bifold_field parts[] = {{"re", BIFOLD_F64, 0}, {"im", BIFOLD_F64, 8}};
  const bifold_field other[] = {{"re", BIFOLD_F64, 0}, {"i", BIFOLD_F64, 8}};
  const bifold_field nested[] = {{"x", BIFOLD_COMPLEX64, 0}};
  bifold_type type = 0;
  OK(bifold_struct_type("complex128", 16, parts, 2, &type));
  CHECK(type == BIFOLD_COMPLEX128);
  OK(bifold_struct_type("complex128", 16, other, 2, &type));
  CHECK(type != BIFOLD_COMPLEX128);
  FAILS(bifold_struct_type("Nested", 8, nested, 1, &type), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("no field may be complex64"));
}

static void test_operators(void) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_operator* multiplies = bifold_builtin_operator(BIFOLD_MULTIPLIES);
  Complex64 neutral = {1, 1};
  OK(bifold_operator_identity(plus, BIFOLD_COMPLEX64, &neutral));
  CHECK(equal(neutral, 0, 0) && 1 / neutral.re < 0 && 1 / neutral.im < 0);
  FAILS(bifold_operator_identity(multiplies, BIFOLD_COMPLEX64, &neutral), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("multiplies has no identity"));
  FAILS(bifold_operator_identity(bifold_builtin_operator(BIFOLD_MINIMUM), BIFOLD_COMPLEX128,
                                 &neutral),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("minimum is not defined on complex128"));
}

static void test_calls(void) {
  const Complex64 host[] = {{1, 2}, {3, -4}, {0, 1}};
  const Complex64 init = {0, 1};
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_operator* multiplies = bifold_builtin_operator(BIFOLD_MULTIPLIES);
  const bifold_reduce_shape shape = {.struct_size = sizeof shape,
                                     .op = multiplies,
                                     .input = BIFOLD_COMPLEX64,
                                     .accumulator = BIFOLD_COMPLEX64};
  bifold_plan* plan = NULL;
  Complex64 result = {0, 0}, scanned[3] = {{0, 0}};
  float real = 0;
  const bifold_view input = uploaded(BIFOLD_COMPLEX64, host, 3);
  const bifold_view output = allocated(BIFOLD_COMPLEX64, 3);
  bifold_view cell = allocated(BIFOLD_COMPLEX64, 1), nothing = input;
  nothing.count = 0;

  OK(bifold_reduce(queue, input, plus, BIFOLD_COMPLEX64, NULL, &result, NULL));
  CHECK(equal(result, 4, -1));
  OK(bifold_reduce(queue, input, multiplies, BIFOLD_COMPLEX64, &init, &result, NULL));
  CHECK(equal(result, -11, -2));
  OK(bifold_reduce(queue, nothing, multiplies, BIFOLD_COMPLEX64, NULL, &result, NULL));
  CHECK(equal(result, 1, 0));
  OK(bifold_reduce_into(queue, input, cell, plus, &init, NULL));
  OK(bifold_download(queue, cell, &result));
  CHECK(equal(result, 4, 0));
  OK(bifold_exclusive_scan(queue, input, output, multiplies, NULL, NULL));
  OK(bifold_download(queue, output, scanned));
  CHECK(equal(scanned[0], 1, 0) && equal(scanned[1], 1, 2) && equal(scanned[2], 11, 2));
  OK(bifold_inner_product(queue, input, input, BIFOLD_COMPLEX64, NULL, &result, NULL));
  CHECK(equal(result, -11, -20));
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  OK(bifold_plan_run(plan, queue, input, cell, NULL, NULL));
  OK(bifold_download(queue, cell, &result));
  CHECK(equal(result, -2, 11));
  bifold_plan_destroy(plan);

  FAILS(bifold_reduce(queue, input, plus, BIFOLD_F32, NULL, &real, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_reduce(queue, input, bifold_builtin_operator(BIFOLD_MAXIMUM), BIFOLD_COMPLEX64, NULL,
                      &result, NULL),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("maximum is not defined on complex64"));
  bifold_buffer_destroy(cell.buffer);
  bifold_buffer_destroy(output.buffer);
  bifold_buffer_destroy(input.buffer);
}

void test_complex(void) {
  test_numbers();
  test_operators();
  test_calls();
}
