#include "cuda/queue/stream.hpp"

#include <utility>

namespace bifold::backend::cuda {

Stream::Stream(std::shared_ptr<const Context> context)
    : context_(std::move(context)), owned_(true) {
  const CurrentContext current(*context_);
  const OutsideCapture outside;
  check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

Stream::Stream(std::shared_ptr<const Context> context, CUstream adopted)
    : context_(std::move(context)), stream_(adopted) {
  const CurrentContext current(*context_);
  CUcontext home = nullptr;
  if (const CUresult result = driver().cuStreamGetCtx(stream_, &home); result != CUDA_SUCCESS) {
    throw driver_error(driver(), ErrorCategory::invalid_argument, result, "cuStreamGetCtx",
                       "the stream cannot be adopted: " + explain(driver(), result));
  }
  if (home != context_->get()) {
    raise_invalid_argument("the stream belongs to another context than the device");
  }
  if (stream_ == CU_STREAM_PER_THREAD) thread_ = std::this_thread::get_id();
}

Stream::~Stream() {
  if (!owned_) return;
  const CurrentContext current(*context_, std::nothrow);
  if (!current.pushed()) return;
  const OutsideCapture outside;
  log_failure(driver().cuStreamDestroy(stream_), "cuStreamDestroy");
}

bool Stream::of_another_thread() const noexcept {
  return thread_ != std::thread::id{} && thread_ != std::this_thread::get_id();
}

CUstream Stream::get() const {
  if (of_another_thread()) {
    raise_invalid_argument("the queue of a per-thread default stream is used on another thread");
  }
  return stream_;
}

}  // namespace bifold::backend::cuda
