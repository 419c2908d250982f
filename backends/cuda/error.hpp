// From driver results to bifold::Error.
#pragma once

#include <cuda.h>

#include <bifold/error.hpp>
#include <string>

#include "cuda/driver_api.hpp"

namespace bifold::backend::cuda {

/// The driver's name of a result: "CUDA_ERROR_OUT_OF_MEMORY".
std::string name_of(const DriverApi& api, CUresult result);

/// The driver's explanation of a result: "out of memory".
std::string explain(const DriverApi& api, CUresult result);

/// What a result means to the caller. device_lost stands for the results after which the context
/// answers every call with the same failure.
ErrorCategory category_of(CUresult result) noexcept;

/// The Error of a failure that no driver result tells of. `call` may be empty.
Error plain_error(ErrorCategory category, const std::string& message, const char* call = "");

/// The Error of a driver result, under a category and a message of the caller's choice.
Error driver_error(const DriverApi& api, ErrorCategory category, CUresult result, const char* call,
                   const std::string& message, std::string compiler_log = {});

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
