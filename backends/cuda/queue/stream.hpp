// A stream: the backend's own, or one of the application's.
#pragma once

#include <cuda.h>

#include <memory>
#include <thread>

#include "cuda/driver/context.hpp"

namespace bifold::backend::cuda {

/// Shared by its queue and that queue's events, whose common origin its identity tells.
class Stream {
 public:
  /// A new stream, which does not order itself against the default stream.
  explicit Stream(std::shared_ptr<const Context> context);
  /// The application's stream. The default streams (null, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD)
  /// are those of `context`, whichever is current. Throws invalid_argument for a stream of another
  /// context.
  Stream(std::shared_ptr<const Context> context, CUstream adopted);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Throws invalid_argument for the per-thread default stream of another thread: the handle would
  /// mean this thread's.
  [[nodiscard]] CUstream get() const;
  /// Whether get() throws.
  [[nodiscard]] bool of_another_thread() const noexcept;
  [[nodiscard]] const Context& context() const noexcept { return *context_; }

 private:
  std::shared_ptr<const Context> context_;
  CUstream stream_ = nullptr;
  bool owned_ = false;
  std::thread::id thread_;  // The only one that may use it; none: every thread may.
};

}  // namespace bifold::backend::cuda
