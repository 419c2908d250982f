#include "cuda/driver/driver_error.hpp"

#include <utility>

namespace bifold::backend::cuda {

std::string name_of(const DriverApi& api, CUresult result) {
  const char* name = nullptr;
  if (api.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "CUDA error " + std::to_string(static_cast<int>(result));
  }
  return name;
}

std::string explain(const DriverApi& api, CUresult result) {
  const char* text = nullptr;
  if (api.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) {
    return "the CUDA driver gives no explanation";
  }
  return text;
}

Error plain_error(ErrorCategory category, const std::string& message, const char* call) {
  Error::Details details;
  details.backend = "cuda";
  details.call = call;
  return {category, message, std::move(details)};
}

Error driver_error(const DriverApi& api, ErrorCategory category, CUresult result, const char* call,
                   const std::string& message, std::string compiler_log) {
  Error::Details details;
  details.backend = "cuda";
  details.call = call;
  details.native_code = result;
  details.native_name = name_of(api, result);
  details.log = std::move(compiler_log);
  return {category, message, std::move(details)};
}

}  // namespace bifold::backend::cuda
