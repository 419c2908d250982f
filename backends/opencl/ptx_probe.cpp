#include "opencl/ptx_probe.hpp"

#include <array>
#include <cstdint>
#include <exception>

#include "core/log.hpp"
#include "opencl/error.hpp"

namespace bifold::backend::opencl {

namespace {

constexpr std::size_t width = 32;

// Every lane publishes a 64-bit word, reads its neighbour's back and shuffles a value with it.
constexpr const char* probe_text = R"(
__kernel void probe(__global ulong* words, __global ulong* seen, __global uint* shuffled) {
  const uint lane = (uint)get_local_id(0);
  const ulong own = ((ulong)(lane + 1) << 40) | (lane * 7u);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"((ulong)(words + lane)), "l"(own)
               : "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  barrier(CLK_GLOBAL_MEM_FENCE);
  ulong other;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(other)
               : "l"((ulong)(words + (lane ^ 1u))) : "memory");
  seen[lane] = other;
  uint swapped;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(swapped)
               : "r"(lane * 3u + 1u));
  shuffled[lane] = swapped;
}
)";

cl::Buffer buffer_of(const cl::Context& context, std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  check(code, "clCreateBuffer", Step::allocate);
  return buffer;
}

bool run_probe(const cl::Context& context, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  const cl::Program program(context, std::string(probe_text), false, &code);
  check(code, "clCreateProgramWithSource", Step::build);
  check(program.build(device, "-cl-std=CL1.2"), "clBuildProgram", Step::build);
  cl::Kernel kernel(program, "probe", &code);
  check(code, "clCreateKernel", Step::build);
  const cl::CommandQueue queue(context, device, cl_command_queue_properties{0}, &code);
  check(code, "clCreateCommandQueue");

  std::array<std::uint64_t, width> seen{};
  std::array<std::uint32_t, width> shuffled{};
  const cl::Buffer words_memory = buffer_of(context, sizeof seen);
  const cl::Buffer seen_memory = buffer_of(context, sizeof seen);
  const cl::Buffer shuffled_memory = buffer_of(context, sizeof shuffled);
  check(kernel.setArg(0, words_memory), "clSetKernelArg");
  check(kernel.setArg(1, seen_memory), "clSetKernelArg");
  check(kernel.setArg(2, shuffled_memory), "clSetKernelArg");
  check(queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(width), cl::NDRange(width)),
        "clEnqueueNDRangeKernel", Step::enqueue);
  check(queue.enqueueReadBuffer(seen_memory, CL_TRUE, 0, sizeof seen, seen.data()),
        "clEnqueueReadBuffer", Step::wait);
  check(queue.enqueueReadBuffer(shuffled_memory, CL_TRUE, 0, sizeof shuffled, shuffled.data()),
        "clEnqueueReadBuffer", Step::wait);

  for (std::uint32_t lane = 0; lane < width; ++lane) {
    const std::uint32_t neighbour = lane ^ 1U;
    const std::uint64_t word =
        (std::uint64_t{neighbour + 1} << 40U) | (std::uint64_t{neighbour} * 7U);
    if (seen[lane] != word || shuffled[lane] != neighbour * 3U + 1U) {
      core::log().debug("opencl: inline PTX builds but lane {} computes wrongly", lane);
      return false;
    }
  }
  return true;
}

}  // namespace

bool ptx_works(const cl::Context& context, const cl::Device& device) noexcept {
  try {
    return run_probe(context, device);
  } catch (const std::exception& failure) {
    try {
      core::log().debug("opencl: inline PTX is not used: {}", failure.what());
    } catch (...) {  // NOLINT(bugprone-empty-catch): a log that fails changes nothing.
    }
    return false;
  }
}

}  // namespace bifold::backend::opencl
