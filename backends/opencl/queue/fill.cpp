#include "opencl/queue/fill.hpp"

#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"

namespace bifold::backend::opencl {

namespace {

template <class T>
T memory_value(cl_mem object, cl_mem_info what) {
  T value{};
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a handle is what is asked for.
  check(clGetMemObjectInfo(object, what, sizeof value, &value, nullptr), "clGetMemObjectInfo");
  return value;
}

}  // namespace

Place place_for_fill(const cl::CommandQueue& queue, cl_mem object, std::uint64_t offset,
                     std::uint64_t bytes, std::size_t pattern_size) {
  constexpr std::uint64_t reach = std::uint64_t{1} << 31;
  if (pattern_size >= 4 || offset + bytes <= reach) return {cl::Buffer(object, true), offset};
  // A sub-buffer has no sub-buffers of its own.
  auto* whole = memory_value<cl_mem>(object, CL_MEM_ASSOCIATED_MEMOBJECT);
  if (whole == nullptr) {
    whole = object;
  } else {
    offset += memory_value<std::size_t>(object, CL_MEM_OFFSET);
  }
  cl_device_id device = nullptr;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a handle is what is asked for.
  check(clGetCommandQueueInfo(queue(), CL_QUEUE_DEVICE, sizeof device, &device, nullptr),
        "clGetCommandQueueInfo");
  const std::uint64_t alignment = device_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  const std::uint64_t into = offset % alignment;
  const cl_buffer_region region{offset - into, into + bytes};
  cl_int code = CL_SUCCESS;
  cl::Buffer window(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  check(code, "clCreateSubBuffer", Step::allocate);
  return {std::move(window), into};
}

}  // namespace bifold::backend::opencl
