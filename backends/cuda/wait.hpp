// Waiting with a time limit, which the driver's blocking calls do not have.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "cuda/error.hpp"

namespace bifold::backend::cuda {

/// Asks `query` until it no longer answers "not ready", with pauses that grow to a millisecond.
/// Throws timeout past `limit`, and the failure that `query` reports. `call` names the query.
template <class Query>
void wait_within(std::chrono::nanoseconds limit, const char* call, Query query) {
  using namespace std::chrono_literals;
  constexpr std::chrono::nanoseconds longest_pause = 1ms;
  const auto start = std::chrono::steady_clock::now();
  std::chrono::nanoseconds pause = 1us;
  for (;;) {
    const CUresult result = query();
    if (result != CUDA_ERROR_NOT_READY) return check(result, call);
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
    if (waited >= limit) {
      throw driver_error(driver(), ErrorCategory::timeout, result, call,
                         "the work was not done within " + std::to_string(limit.count()) + " ns");
    }
    std::this_thread::sleep_for(std::min(pause, limit - waited));
    pause = std::min(pause * 2, longest_pause);
  }
}

}  // namespace bifold::backend::cuda
