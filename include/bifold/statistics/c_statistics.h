/** @file
 * Mean, variance, Euclidean norm and logarithms of sums of exponentials in the C interface, each of
 * one reading. <bifold/bifold.h> includes it, and says what holds for all functions. */
#ifndef BIFOLD_STATISTICS_C_STATISTICS_H
#define BIFOLD_STATISTICS_C_STATISTICS_H

#include <bifold/c_base.h>
#include <bifold/c_calls.h>
#include <bifold/c_device.h>

#include <bifold/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup c_results
 *
 * All of these have accumulators and result maps of their own, so the options have neither a
 * result_map nor an init_from. mean, variance and norm are computed in BIFOLD_F64, or in what the
 * options' accumulate says: BIFOLD_F32, as for devices without f64, or BIFOLD_F64.
 * @{ */

/** Blocks until *result is the mean of real or complex numbers, their sum divided by n; NaN of
 * nothing. It is a double for integers and BIFOLD_F64, a float for BIFOLD_F32, BIFOLD_F16 and
 * BIFOLD_BF16, and of the input's type for complex numbers. */
BIFOLD_API bifold_status bifold_mean(bifold_queue* queue, bifold_view input, void* result,
                                     const bifold_options* options);
/** Blocks until *result, of the mean's type, is the variance of real numbers: the sum of squares of
 * what each is off the mean, divided by n - ddof, or by 0 where that is less. NaN where an element
 * is not finite. */
BIFOLD_API bifold_status bifold_variance(bifold_queue* queue, bifold_view input, double ddof,
                                         void* result, const bifold_options* options);
/** Blocks until *result is the Euclidean norm of real or complex numbers: of the mean's type, or of
 * that of complex numbers' parts. 0 of nothing. */
BIFOLD_API bifold_status bifold_norm(bifold_queue* queue, bifold_view input, void* result,
                                     const bifold_options* options);
/** Blocks until *result is log of the sum of exp(x) over floating elements: a double for
 * BIFOLD_F64, otherwise a float; -infinity of nothing. */
BIFOLD_API bifold_status bifold_logsumexp(bifold_queue* queue, bifold_view input, void* result,
                                          const bifold_options* options);

/** Enqueues bifold_mean() into one element of a floating type, or a complex one for complex
 * numbers, or one for each line. */
BIFOLD_API bifold_status bifold_mean_into(bifold_queue* queue, bifold_view input,
                                          bifold_view result, const bifold_options* options);
/** Enqueues bifold_variance() likewise, into a floating type. */
BIFOLD_API bifold_status bifold_variance_into(bifold_queue* queue, bifold_view input,
                                              bifold_view result, double ddof,
                                              const bifold_options* options);
/** Enqueues both from one reading. `mean` lies as `variance` does. */
BIFOLD_API bifold_status bifold_variance_mean_into(bifold_queue* queue, bifold_view input,
                                                   bifold_view variance, bifold_view mean,
                                                   double ddof, const bifold_options* options);
/** Enqueues bifold_norm() likewise, into a floating type. */
BIFOLD_API bifold_status bifold_norm_into(bifold_queue* queue, bifold_view input,
                                          bifold_view result, const bifold_options* options);
/** Enqueues bifold_logsumexp() likewise, of any numbers, into a floating type in which it is
 * accumulated, or BIFOLD_F32 where that has 16 bits. */
BIFOLD_API bifold_status bifold_logsumexp_into(bifold_queue* queue, bifold_view input,
                                               bifold_view result, const bifold_options* options);
/** Enqueues output[i] = log of the sum of exp over input[0..i], otherwise as
 * bifold_logsumexp_into(). In place is allowed. */
BIFOLD_API bifold_status bifold_cumulative_logsumexp(bifold_queue* queue, bifold_view input,
                                                     bifold_view output,
                                                     const bifold_options* options);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
