/* Mean, variance, norm, logsumexp. */
#include <math.h>

#include "harness.h"

#define REFUSED(call) FAILS(call, BIFOLD_INVALID_ARGUMENT)

static int near_to(double got, double expected) { return fabs(got - expected) < 1e-6; }

static void test_to_the_host(void) {
  const float numbers[] = {1, 2, 4, 9};
  const int16_t integers[] = {3, -4};
  const double parts[] = {3, 1, 0, -3};
  const bifold_view input = uploaded(BIFOLD_F32, numbers, 4);
  const bifold_view whole = uploaded(BIFOLD_I16, integers, 2);
  const bifold_view complex = uploaded(BIFOLD_COMPLEX128, parts, 2);
  const bifold_view nothing = {input.buffer, BIFOLD_F32, 0, 0};
  const bifold_type narrow = BIFOLD_F32, word = BIFOLD_I32;
  bifold_options options = {.struct_size = sizeof options, .accumulate = &narrow};
  float value = 99;
  double wide = 99, two[2] = {99, 99};
  OK(bifold_mean(queue, input, &value, NULL));
  CHECK(value == 4);
  OK(bifold_mean(queue, input, &value, &options));
  CHECK(value == 4);
  OK(bifold_mean(queue, whole, &wide, NULL));
  CHECK(wide == -0.5);
  OK(bifold_mean(queue, complex, two, NULL));
  CHECK(two[0] == 1.5 && two[1] == -1);
  OK(bifold_mean(queue, nothing, &value, NULL));
  CHECK(isnan(value));
  OK(bifold_variance(queue, input, 0, &value, NULL));
  CHECK(value == 9.5F);
  OK(bifold_variance(queue, whole, 1, &wide, NULL));
  CHECK(wide == 24.5);
  OK(bifold_norm(queue, whole, &wide, NULL));
  CHECK(wide == 5);
  OK(bifold_norm(queue, complex, &wide, NULL));
  CHECK(near_to(wide, sqrt(19)));
  OK(bifold_logsumexp(queue, input, &value, NULL));
  CHECK(near_to(value, log(exp(1) + exp(2) + exp(4) + exp(9))));

  value = 99;
  options.accumulate = &word;
  REFUSED(bifold_mean(queue, input, &value, &options));
  CHECK(says("computed in f32 or f64, not in i32"));
  REFUSED(bifold_mean(NULL, input, &value, NULL));
  REFUSED(bifold_mean(queue, input, NULL, NULL));
  CHECK(says("result is NULL"));
  REFUSED(bifold_variance(queue, complex, 0, &value, NULL));
  REFUSED(bifold_variance(queue, input, 0, NULL, NULL));
  REFUSED(bifold_norm(queue, (bifold_view){NULL, BIFOLD_F32, 0, 1}, &value, NULL));
  REFUSED(bifold_logsumexp(queue, whole, &value, NULL));
  CHECK(value == 99);
  bifold_buffer_destroy(input.buffer);
  bifold_buffer_destroy(whole.buffer);
  bifold_buffer_destroy(complex.buffer);
}

static void test_to_the_device(void) {
  const float numbers[] = {1, 2, 3, -3, 0, 3};
  const bifold_view input = uploaded(BIFOLD_F32, numbers, 6);
  const bifold_view results = allocated(BIFOLD_F32, 2);
  const bifold_view means = allocated(BIFOLD_F64, 2);
  const bifold_view output = allocated(BIFOLD_F32, 6);
  const bifold_lines rows = {.outer = 2, .length = 3, .inner = 1, .outer_stride = 3, .stride = 1};
  bifold_event* done = NULL;
  const bifold_options options = {.struct_size = sizeof options, .lines = &rows, .done = &done};
  const bifold_options of_one = {.struct_size = sizeof of_one};
  float got[6] = {0};
  double mean[2] = {0};
  OK(bifold_mean_into(queue, input, results, &options));
  OK(bifold_event_wait(done, BIFOLD_NO_LIMIT));
  bifold_event_destroy(done);
  OK(bifold_download(queue, results, got));
  CHECK(got[0] == 2 && got[1] == 0);
  OK(bifold_variance_into(queue, input, results, 1, &options));
  bifold_event_destroy(done);
  OK(bifold_download(queue, results, got));
  CHECK(got[0] == 1 && got[1] == 9);
  OK(bifold_variance_mean_into(queue, input, results, means, 0, &options));
  bifold_event_destroy(done);
  OK(bifold_download(queue, results, got));
  OK(bifold_download(queue, means, mean));
  CHECK(near_to(got[0], 2.0 / 3) && got[1] == 6 && mean[0] == 2 && mean[1] == 0);
  OK(bifold_norm_into(queue, input, results, &options));
  bifold_event_destroy(done);
  OK(bifold_download(queue, results, got));
  CHECK(near_to(got[0], sqrt(14)) && near_to(got[1], sqrt(18)));
  OK(bifold_logsumexp_into(queue, input, results, &options));
  bifold_event_destroy(done);
  OK(bifold_download(queue, results, got));
  CHECK(near_to(got[0], log(exp(1) + exp(2) + exp(3))));
  OK(bifold_cumulative_logsumexp(queue, input, output, &of_one));
  OK(bifold_download(queue, output, got));
  CHECK(got[0] == 1 && near_to(got[2], log(exp(1) + exp(2) + exp(3))));
  REFUSED(bifold_mean_into(queue, input, results, &of_one));
  REFUSED(bifold_cumulative_logsumexp(queue, input, results, NULL));
  REFUSED(bifold_variance_mean_into(queue, input, results, (bifold_view){NULL, BIFOLD_F64, 0, 2}, 0,
                                    &of_one));
  bifold_buffer_destroy(input.buffer);
  bifold_buffer_destroy(results.buffer);
  bifold_buffer_destroy(means.buffer);
  bifold_buffer_destroy(output.buffer);
}

void test_statistics(void) {
  test_to_the_host();
  test_to_the_device();
}
