// The C interface's functions of backends that were left out: they exist in every build, so that a
// program starts whatever it was built with.
#include <bifold/error.hpp>

#include "core/c_api/c_api_error.hpp"

#if !BIFOLD_HAS_OPENCL
namespace {
bifold_status without_opencl() {
  return bifold::c_api::guard([] {
    throw bifold::Error(bifold::ErrorCategory::unavailable, "opencl: left out of this build");
  });
}
}  // namespace

bifold_status bifold_opencl_adopt_device(void*, void*, const bifold_device_options*,
                                         bifold_device**) {
  return without_opencl();
}
bifold_status bifold_opencl_adopt_queue(void*, const bifold_device*, bifold_queue**) {
  return without_opencl();
}
bifold_status bifold_opencl_adopt_buffer(void*, bifold_buffer**) { return without_opencl(); }
bifold_status bifold_opencl_adopt_svm(const bifold_device*, void*, uint64_t, bifold_buffer**) {
  return without_opencl();
}
bifold_status bifold_opencl_adopt_event(void*, bifold_event**) { return without_opencl(); }
bifold_status bifold_opencl_native_event(const bifold_event*, void**) { return without_opencl(); }
#endif

#if !BIFOLD_HAS_CUDA
namespace {
bifold_status without_cuda() {
  return bifold::c_api::guard([] {
    throw bifold::Error(bifold::ErrorCategory::unavailable, "cuda: left out of this build");
  });
}
}  // namespace

bifold_status bifold_cuda_adopt_device(void*, const bifold_device_options*, bifold_device**) {
  return without_cuda();
}
bifold_status bifold_cuda_adopt_current_device(const bifold_device_options*, bifold_device**) {
  return without_cuda();
}
bifold_status bifold_cuda_adopt_queue(void*, const bifold_device*, const bifold_queue_options*,
                                      bifold_queue**) {
  return without_cuda();
}
bifold_status bifold_cuda_device_index(uint64_t, uint32_t*) { return without_cuda(); }
bifold_status bifold_cuda_adopt_buffer(uint64_t, uint64_t, bifold_buffer**) {
  return without_cuda();
}
bifold_status bifold_cuda_adopt_known_buffer(uint64_t, uint64_t, bifold_buffer**) {
  return without_cuda();
}
bifold_status bifold_cuda_adopt_event(void*, bifold_event**) { return without_cuda(); }
bifold_status bifold_cuda_native_event(const bifold_event*, void**) { return without_cuda(); }
bifold_status bifold_cuda_record(bifold_queue*, void*) { return without_cuda(); }
#endif
