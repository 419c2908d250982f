// Errors in the words of a driver, whether or not it is the loaded one.
#pragma once

#include <cuda.h>

#include <bifold/error.hpp>
#include <string>

#include "cuda/driver/driver_api.hpp"

namespace bifold::backend::cuda {

/// The driver's name of a result: "CUDA_ERROR_OUT_OF_MEMORY".
std::string name_of(const DriverApi& api, CUresult result);

/// The driver's explanation of a result: "out of memory".
std::string explain(const DriverApi& api, CUresult result);

/// The Error of a failure that no driver result tells of. `call` may be empty.
Error plain_error(ErrorCategory category, const std::string& message, const char* call = "");

/// The Error of a driver result, under a category and a message of the caller's choice.
Error driver_error(const DriverApi& api, ErrorCategory category, CUresult result, const char* call,
                   const std::string& message, std::string compiler_log = {});

}  // namespace bifold::backend::cuda
