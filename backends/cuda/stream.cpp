#include "cuda/stream.hpp"

#include <utility>

namespace bifold::backend::cuda {

Stream::Stream(std::shared_ptr<const Context> context) : context_(std::move(context)) {
  const CurrentContext current(*context_);
  check(driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

Stream::~Stream() {
  const CurrentContext current(*context_, std::nothrow);
  if (current.pushed()) log_failure(driver().cuStreamDestroy(stream_), "cuStreamDestroy");
}

}  // namespace bifold::backend::cuda
