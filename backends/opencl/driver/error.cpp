#include "opencl/driver/error.hpp"

#include <algorithm>
#include <array>

#include "core/base/log.hpp"

namespace bifold::backend::opencl {

namespace {

// What NVIDIA's driver answers once a kernel or fill has touched memory it may not: to that call
// and to every later one of the context.
constexpr cl_int nvidia_illegal_access = -9999;

struct Name {
  cl_int code;
  std::string_view name;
};

constexpr std::array names{
    Name{CL_SUCCESS, "CL_SUCCESS"},
    Name{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    Name{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    Name{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    Name{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    Name{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    Name{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    Name{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    Name{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    Name{CL_IMAGE_FORMAT_MISMATCH, "CL_IMAGE_FORMAT_MISMATCH"},
    Name{CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    Name{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    Name{CL_MAP_FAILURE, "CL_MAP_FAILURE"},
    Name{CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    Name{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    Name{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
    Name{CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE"},
    Name{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
    Name{CL_DEVICE_PARTITION_FAILED, "CL_DEVICE_PARTITION_FAILED"},
    Name{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    Name{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    Name{CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE"},
    Name{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    Name{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    Name{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    Name{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    Name{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    Name{CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
    Name{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    Name{CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    Name{CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
    Name{CL_INVALID_SAMPLER, "CL_INVALID_SAMPLER"},
    Name{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    Name{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    Name{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    Name{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    Name{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    Name{CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    Name{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    Name{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    Name{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    Name{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    Name{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    Name{CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    Name{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    Name{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    Name{CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
    Name{CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
    Name{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    Name{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    Name{CL_INVALID_GL_OBJECT, "CL_INVALID_GL_OBJECT"},
    Name{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    Name{CL_INVALID_MIP_LEVEL, "CL_INVALID_MIP_LEVEL"},
    Name{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    Name{CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY"},
    Name{CL_INVALID_IMAGE_DESCRIPTOR, "CL_INVALID_IMAGE_DESCRIPTOR"},
    Name{CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS"},
    Name{CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS"},
    Name{CL_INVALID_DEVICE_PARTITION_COUNT, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    Name{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    Name{nvidia_illegal_access, "NVIDIA illegal access"},
};

}  // namespace

std::string_view code_name(cl_int code) noexcept {
  const auto* const found = std::find_if(names.begin(), names.end(),
                                         [code](const Name& row) { return row.code == code; });
  return found == names.end() ? std::string_view("unknown OpenCL code") : found->name;
}

ErrorCategory category_of(cl_int code, Step step) noexcept {
  switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return ErrorCategory::out_of_memory;
    case CL_OUT_OF_RESOURCES:
      if (step == Step::allocate) return ErrorCategory::out_of_memory;
      if (step == Step::wait) return ErrorCategory::device_lost;
      break;
    case CL_INVALID_BUFFER_SIZE:
      if (step == Step::allocate) return ErrorCategory::out_of_memory;
      break;
    case CL_DEVICE_NOT_AVAILABLE:
      return step == Step::open ? ErrorCategory::unavailable : ErrorCategory::device_lost;
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_CONTEXT:
    case nvidia_illegal_access: return ErrorCategory::device_lost;
    case CL_COMPILER_NOT_AVAILABLE: return ErrorCategory::unavailable;
    default: break;
  }
  return step == Step::build ? ErrorCategory::build_failure : ErrorCategory::backend_failure;
}

void fail(cl_int code, const char* call, Step step, const std::string& subject) {
  const ErrorCategory category = category_of(code, step);
  const std::string what(category == ErrorCategory::out_of_memory ? "the device is out of memory"
                                                                  : "a call to the driver failed");
  fail_as(category, code, call, subject.empty() ? what : what + ": " + subject);
}

void fail_as(ErrorCategory category, cl_int code, const char* call, const std::string& what) {
  throw Error(category, what,
              {.backend = "opencl",
               .call = call,
               .native_code = code,
               .native_name = std::string(code_name(code)),
               .log = {},
               .source = {}});
}

cl_int released(cl_int code, const char* call) noexcept {
  if (code != CL_SUCCESS) log_failure(code, call);
  return code;
}

cl_int retained(cl_int code, const char* call) {
  check(code, call);
  return code;
}

void refuse(ErrorCategory category, const std::string& message) {
  throw Error(category, "opencl: " + message,
              {.backend = "opencl",
               .call = {},
               .native_code = 0,
               .native_name = {},
               .log = {},
               .source = {}});
}

void log_failure(cl_int code, const char* call) noexcept {
  try {
    core::log().error("opencl: {} failed with {} ({})", call, code_name(code), code);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing is left to report it to.
  }
}

}  // namespace bifold::backend::opencl
