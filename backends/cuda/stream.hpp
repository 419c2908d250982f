// A stream that owns itself.
#pragma once

#include <cuda.h>

#include <memory>

#include "cuda/context.hpp"

namespace bifold::backend::cuda {

/// A stream that does not order itself against the default stream. Shared by its queue and that
/// queue's events, whose common origin its identity tells.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const Context> context);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] CUstream get() const noexcept { return stream_; }
  [[nodiscard]] const Context& context() const noexcept { return *context_; }

 private:
  std::shared_ptr<const Context> context_;
  CUstream stream_ = nullptr;
};

}  // namespace bifold::backend::cuda
