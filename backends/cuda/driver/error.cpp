#include "cuda/driver/error.hpp"

#include "core/base/log.hpp"
#include "cuda/driver/driver_api.hpp"

namespace bifold::backend::cuda {

ErrorCategory category_of(CUresult result) noexcept {
  // By number, as some of the names are younger than the oldest header this compiles with.
  switch (static_cast<int>(result)) {
    case 2:  // OUT_OF_MEMORY
      return ErrorCategory::out_of_memory;
    case 4:    // DEINITIALIZED
    case 46:   // DEVICE_UNAVAILABLE
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 709:  // CONTEXT_IS_DESTROYED
    case 710:  // ASSERT
    case 714:  // HARDWARE_STACK_ERROR
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
    case 721:  // TENSOR_MEMORY_LEAK
    case 810:  // MPS_CLIENT_TERMINATED
    case 911:  // EXTERNAL_DEVICE
      return ErrorCategory::device_lost;
    case 900:  // STREAM_CAPTURE_UNSUPPORTED
    case 901:  // STREAM_CAPTURE_INVALIDATED
    case 902:  // STREAM_CAPTURE_MERGE
    case 903:  // STREAM_CAPTURE_UNMATCHED
    case 904:  // STREAM_CAPTURE_UNJOINED
    case 905:  // STREAM_CAPTURE_ISOLATION
    case 906:  // STREAM_CAPTURE_IMPLICIT
    case 907:  // CAPTURED_EVENT
    case 908:  // STREAM_CAPTURE_WRONG_THREAD
      return ErrorCategory::unsupported;
    default: return ErrorCategory::backend_failure;
  }
}

void raise(CUresult result, const char* call) {
  const DriverApi& api = driver();
  throw driver_error(api, category_of(result), result, call, explain(api, result));
}

void log_failure(CUresult result, const char* call) noexcept {
  // A driver that has shut down at process exit has already released everything.
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
  try {
    const DriverApi& api = driver();
    core::log().error("cuda: {} failed: {} ({})", call, name_of(api, result), explain(api, result));
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody left to tell.
  }
}

void raise_invalid_argument(const std::string& message) {
  throw plain_error(ErrorCategory::invalid_argument, message);
}

}  // namespace bifold::backend::cuda
