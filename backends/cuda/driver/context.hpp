// The context that a device works in, and making it current for the length of a call.
#pragma once

#include <cuda.h>

#include <new>

#include "cuda/driver/driver_api.hpp"
#include "cuda/driver/error.hpp"

namespace bifold::backend::cuda {

/// A device's primary context, the one that the CUDA runtime uses too, or a context of the
/// application's. Everything made in it shares ownership of this object, so it is released last.
class Context {
 public:
  /// Retains the primary context.
  explicit Context(CUdevice device);
  /// The application's context, which outlives this object. Throws invalid_argument for one that
  /// cannot be made current.
  explicit Context(CUcontext adopted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] CUcontext get() const noexcept { return context_; }
  [[nodiscard]] CUdevice device() const noexcept { return device_; }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  bool retained_ = false;
};

/// Makes a context current on this thread, and puts the one before it back.
class CurrentContext {
 public:
  explicit CurrentContext(const Context& context) : result_(push(context)) {
    check(result_, "cuCtxPushCurrent");
  }

  /// For destructors: tells by pushed() instead of throwing.
  CurrentContext(const Context& context, std::nothrow_t) noexcept : result_(push(context)) {
    log_failure(result_, "cuCtxPushCurrent");
  }

  ~CurrentContext() {
    if (!pushed()) return;
    CUcontext popped = nullptr;
    log_failure(driver().cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
  }

  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  [[nodiscard]] bool pushed() const noexcept { return result_ == CUDA_SUCCESS; }

 private:
  static CUresult push(const Context& context) { return driver().cuCtxPushCurrent(context.get()); }

  CUresult result_;
};

/// For calls that no graph records, such as allocations: while the application captures a stream,
/// this thread may make them, and they do not invalidate the capture.
class OutsideCapture {
 public:
  OutsideCapture() noexcept : exchanged_(exchange()) {}
  ~OutsideCapture() {
    if (exchanged_) exchange();
  }
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;

 private:
  bool exchange() noexcept {
    const CUresult result = driver().cuThreadExchangeStreamCaptureMode(&mode_);
    log_failure(result, "cuThreadExchangeStreamCaptureMode");
    return result == CUDA_SUCCESS;
  }

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // Then the thread's own.
  bool exchanged_;
};

}  // namespace bifold::backend::cuda
