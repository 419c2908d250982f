// A device's primary context, and making it current for the length of a call.
#pragma once

#include <cuda.h>

#include <new>

#include "cuda/driver_api.hpp"
#include "cuda/error.hpp"

namespace bifold::backend::cuda {

/// Holds the primary context of a device, the one that the CUDA runtime uses too. Everything made
/// in it shares ownership of this object, so it is released last.
class Context {
 public:
  explicit Context(CUdevice device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] CUcontext get() const noexcept { return context_; }
  [[nodiscard]] CUdevice device() const noexcept { return device_; }

 private:
  CUdevice device_;
  CUcontext context_ = nullptr;
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

}  // namespace bifold::backend::cuda
