// From driver results to bifold::Error.
#pragma once

#include <cuda.h>

#include <bifold/error.hpp>
#include <string>

#include "cuda/driver/driver_error.hpp"

namespace bifold::backend::cuda {

/// What a result means to the caller. device_lost stands for the results after which the context
/// answers every call with the same failure.
ErrorCategory category_of(CUresult result) noexcept;

/// Throws the Error of a failed call, with the driver's explanation as its message.
[[noreturn]] void raise(CUresult result, const char* call);

/// Throws unless `result` is success.
inline void check(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS) [[unlikely]] {
    raise(result, call);
  }
}

/// For destructors: logs a failure.
void log_failure(CUresult result, const char* call) noexcept;

/// A mistake of the caller's that no driver call was needed to find.
[[noreturn]] void raise_invalid_argument(const std::string& message);

}  // namespace bifold::backend::cuda
