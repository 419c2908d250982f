// Initialisation, devices, error names.
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "state.hpp"

namespace {

struct Name {
  CUresult code;
  const char* name;
  const char* text;
};

constexpr std::array names{
    Name{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    Name{CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    Name{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    Name{CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    Name{CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    Name{CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    Name{CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    Name{CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    Name{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
         "operation not permitted when stream is capturing"},
    Name{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
         "operation failed due to a previous error during capture"},
    Name{CUDA_ERROR_STREAM_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE",
         "operation would result in a merge of separate capture sequences"},
    Name{CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
         "dependency created on uncaptured work in another stream"},
    Name{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
         "operation would make the legacy stream depend on a capturing blocking stream"},
    Name{CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT",
         "operation not permitted on an event last recorded in a capturing stream"},
    Name{CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    Name{CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    Name{CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access"},
    Name{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
         "too many resources requested for launch"},
    Name{CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out"},
    Name{CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

const Name* find_name(CUresult code) {
  for (const Name& name : names) {
    if (name.code == code) return &name;
  }
  return nullptr;
}

}  // namespace

bool fake::exists(CUdevice device) { return device >= 0 && device < device_count(); }
using fake::architecture;
using fake::exists;

extern "C" {

CUresult cuInit(unsigned flags) {
  FAKE_CALL("cuInit");
  if (flags != 0) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  fake::state().initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  FAKE_CALL("cuDriverGetVersion");
  *version = static_cast<int>(fake::setting("FAKE_CUDA_VERSION", 13000));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char** text) {
  const Name* name = find_name(code);
  *text = name != nullptr ? name->name : nullptr;
  return name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  const Name* name = find_name(code);
  *text = name != nullptr ? name->text : nullptr;
  return name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// NVRTC, in a process that has a driver, calls this without looking whether it is there.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  FAKE_CALL("cuGetExportTable");
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuDeviceGetCount(int* count) {
  FAKE_CALL("cuDeviceGetCount");
  *count = fake::device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  FAKE_CALL("cuDeviceGet");
  if (!exists(ordinal)) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  FAKE_CALL("cuDeviceGetName");
  if (!exists(device) || length < 1) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  const char* const named = std::getenv("FAKE_CUDA_NAME");
  const std::string text = named != nullptr ? named : "Fake GPU " + std::to_string(device);
  name[text.copy(name, static_cast<std::size_t>(length - 1))] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  FAKE_CALL("cuDeviceTotalMem_v2");
  if (!exists(device)) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  *bytes = static_cast<std::size_t>(fake::setting("FAKE_CUDA_MEMORY", 268435456));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  FAKE_CALL("cuDeviceGetAttribute");
  if (!exists(device)) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = architecture().first; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = architecture().second; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = (architecture().first < 12 ? 227 : 99) << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 50 << 20; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = static_cast<int>(fake::units()); break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED: *value = 0; break;
    default: return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  return CUDA_SUCCESS;
}
}
