#include "opencl/path_probes.hpp"

#include <array>
#include <exception>
#include <vector>

#include "core/log.hpp"
#include "opencl/error.hpp"

namespace bifold::backend::opencl {

namespace {

// Every lane publishes a 64-bit word, reads its neighbour's back and shuffles a value with it.
constexpr const char* ptx_text = R"(
__kernel void probe(__global ulong* words, __global ulong* result) {
  const uint lane = (uint)get_local_id(0);
  const ulong own = ((ulong)(lane + 1) << 40) | (lane * 7u);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"((ulong)(words + lane)), "l"(own)
               : "memory");
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  barrier(CLK_GLOBAL_MEM_FENCE);
  ulong other;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(other)
               : "l"((ulong)(words + (lane ^ 1u))) : "memory");
  uint swapped;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(swapped)
               : "r"(lane * 3u + 1u));
  result[lane] = other ^ ((ulong)swapped << 8);
}
)";

// Every lane tells its place, and what it gets from the next lane and from all of them; then what
// its neighbour summed up in a loop that the first lane alone entered, which a compiler for CPUs
// has been seen to get wrong.
constexpr const char* subgroup_text = R"(
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
__kernel __attribute__((reqd_work_group_size(2 * WIDTH, 1, 1), intel_reqd_sub_group_size(WIDTH)))
void probe(__global ulong* words, __global ulong* result) {
  const uint item = (uint)get_local_id(0);
  const uint lane = get_sub_group_local_id();
  const uint next = sub_group_shuffle(item, (lane + 1) % WIDTH);
  const int highest = sub_group_reduce_max(item % 3 == 0 ? (int)lane : -1);
  const bool placed = get_sub_group_size() == WIDTH && lane == item % WIDTH &&
                      get_sub_group_id() == item / WIDTH;
  const bool exchanged = next == item - lane + (lane + 1) % WIDTH;
  result[item] = (ulong)placed | (ulong)exchanged << 1 | (ulong)highest << 8;
}
)";

cl::Buffer buffer_of(const cl::Context& context, std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  check(code, "clCreateBuffer", Step::allocate);
  return buffer;
}

/// Runs the kernel `probe` in one group of `items`; what each of them left in `result`.
std::vector<std::uint64_t> run_probe(const cl::Context& context, const cl::Device& device,
                                     const char* text, const std::string& options,
                                     std::size_t items) {
  cl_int code = CL_SUCCESS;
  const cl::Program program(context, std::string(text), false, &code);
  check(code, "clCreateProgramWithSource", Step::build);
  check(program.build(device, options.c_str()), "clBuildProgram", Step::build);
  cl::Kernel kernel(program, "probe", &code);
  check(code, "clCreateKernel", Step::build);
  const cl::CommandQueue queue(context, device, cl_command_queue_properties{0}, &code);
  check(code, "clCreateCommandQueue");

  std::vector<std::uint64_t> result(items);
  const std::size_t bytes = items * sizeof(std::uint64_t);
  const cl::Buffer words_memory = buffer_of(context, bytes);
  const cl::Buffer result_memory = buffer_of(context, bytes);
  check(kernel.setArg(0, words_memory), "clSetKernelArg");
  check(kernel.setArg(1, result_memory), "clSetKernelArg");
  check(queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(items)),
        "clEnqueueNDRangeKernel", Step::enqueue);
  check(queue.enqueueReadBuffer(result_memory, CL_TRUE, 0, bytes, result.data()),
        "clEnqueueReadBuffer", Step::wait);
  return result;
}

/// Whether run_probe() gives `expected`; what speaks against it goes to the log.
bool gives(const char* path, const cl::Context& context, const cl::Device& device, const char* text,
           const std::string& options, const std::vector<std::uint64_t>& expected) noexcept {
  try {
    const auto result = run_probe(context, device, text, options, expected.size());
    if (result == expected) return true;
    core::log().debug("opencl: {} build but compute wrongly", path);
  } catch (const std::exception& failure) {
    try {
      core::log().debug("opencl: {} are not used: {}", path, failure.what());
    } catch (...) {  // NOLINT(bugprone-empty-catch): a log that fails changes nothing.
    }
  }
  return false;
}

}  // namespace

bool ptx_works(const cl::Context& context, const cl::Device& device) noexcept {
  constexpr std::uint64_t width = 32;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t lane = 0; lane < width; ++lane) {
    const std::uint64_t neighbour = lane ^ 1U;
    const std::uint64_t word = ((neighbour + 1) << 40U) | (neighbour * 7U);
    expected.push_back(word ^ ((neighbour * 3U + 1U) << 8U));
  }
  return gives("PTX instructions", context, device, ptx_text, "-cl-std=CL1.2", expected);
}

bool subgroups_work(const cl::Context& context, const cl::Device& device, std::uint32_t width,
                    const std::string& options) noexcept {
  std::vector<std::uint64_t> expected;
  for (std::uint64_t item = 0; item < 2 * width; ++item) {
    // The highest lane of this sub-group whose work-item is a multiple of three.
    std::uint64_t highest = width - 1;
    while ((item / width * width + highest) % 3 != 0) --highest;
    expected.push_back(3U | highest << 8U);
  }
  return gives("sub-groups", context, device, subgroup_text,
               options + " -DWIDTH=" + std::to_string(width), expected);
}

}  // namespace bifold::backend::opencl
