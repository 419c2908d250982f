// Waiting for the driver with a time limit.
#pragma once

#include <cuda.h>

#include <chrono>

#include "core/base/duration.hpp"
#include "core/base/polling.hpp"
#include "cuda/driver/error.hpp"

namespace bifold::backend::cuda {

/// Asks `query` until it no longer answers "not ready". Throws timeout past `limit`, and the
/// failure that `query` reports. `call` names the query.
template <class Query>
void wait_within(std::chrono::nanoseconds limit, const char* call, Query query) {
  CUresult result = CUDA_ERROR_NOT_READY;
  const bool done = core::done_within(limit, [&] {
    result = query();
    return result != CUDA_ERROR_NOT_READY;
  });
  if (done) return check(result, call);
  throw driver_error(driver(), ErrorCategory::timeout, result, call,
                     "the work was not done within " + core::duration_text(limit));
}

}  // namespace bifold::backend::cuda
