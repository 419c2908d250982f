#include "registry.hpp"

#include <array>

namespace bifold::backend {

// A factory exists where the build has the backend; its folder defines it.
#if BIFOLD_HAS_CUDA
const Backend& cuda_backend();
#endif
#if BIFOLD_HAS_OPENCL
const Backend& opencl_backend();
#endif

std::span<const Registration> registered_backends() {
  static const std::array registrations {
#if BIFOLD_HAS_CUDA
    Registration{"cuda", &cuda_backend()},
#else
    Registration{"cuda", nullptr},
#endif
#if BIFOLD_HAS_OPENCL
        Registration{"opencl", &opencl_backend()},
#else
        Registration{"opencl", nullptr},
#endif
  };
  return registrations;
}

}  // namespace bifold::backend
