#include "device_name.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <cstring>

namespace bifold::test {

namespace {

cl_api_clGetDeviceInfo device_info = nullptr;

cl_int CL_API_CALL named(cl_device_id device, cl_device_info what, std::size_t room, void* to,
                         std::size_t* size) {
  const char* const name =
      std::getenv("BIFOLD_LAYER_DEVICE_NAME");  // NOLINT(concurrency-mt-unsafe)
  if (what != CL_DEVICE_NAME || name == nullptr) return device_info(device, what, room, to, size);
  const std::size_t bytes = std::strlen(name) + 1;
  if (size != nullptr) *size = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, name, bytes);
  return CL_SUCCESS;
}

}  // namespace

void name_devices(cl_icd_dispatch& target) {
  device_info = target.clGetDeviceInfo;
  target.clGetDeviceInfo = &named;
}

}  // namespace bifold::test
