#include "peers/native_queue.hpp"

#include <stdexcept>

#include "core/device/state.hpp"
#if BIFOLD_HAS_CUDA
#include "cuda/queue/queue.hpp"
#endif
#if BIFOLD_HAS_OPENCL
#include "opencl/queue/queue.hpp"
#endif

namespace bench {

PeerSide side_of(const bifold::Device& device) {
  return device.info().backend == "cuda" ? PeerSide::cuda : PeerSide::opencl;
}

void* native_queue(const bifold::Queue& queue) {
  [[maybe_unused]] const bifold::backend::Queue* const own = queue.state().backend.get();
#if BIFOLD_HAS_CUDA
  if (const auto* cuda = dynamic_cast<const bifold::backend::cuda::Queue*>(own)) {
    return cuda->native();
  }
#endif
#if BIFOLD_HAS_OPENCL
  if (const auto* opencl = dynamic_cast<const bifold::backend::opencl::Queue*>(own)) {
    return opencl->native();
  }
#endif
  throw std::logic_error("a backend whose queues no peer knows");
}

}  // namespace bench
