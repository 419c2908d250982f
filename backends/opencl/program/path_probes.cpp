#include "opencl/program/path_probes.hpp"

#include <array>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "opencl/driver/error.hpp"

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

// The copy engine brings words of global memory to the end of local memory, of which drivers
// advertise less than there is, and takes them from there to the result.
constexpr const char* ring_text = R"(
__kernel void probe(__global ulong* words, __global ulong* result) {
  __local ulong ring[RING_BYTES / 8 - 2] __attribute__((aligned(128)));
  __local ulong landed;
  __local ulong* last = ring + RING_BYTES / 8 - 2 - 32;
  const uint lane = (uint)get_local_id(0);
  words[lane] = (ulong)lane << 40 | lane * 5u;
  if (lane == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"((uint)(size_t)&landed) : "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;"
                 :: "r"((uint)(size_t)&landed) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], 256, [%2];"
                 :: "r"((uint)(size_t)last), "l"((ulong)words), "r"((uint)(size_t)&landed)
                 : "memory");
  }
  uint given = 0;
  for (uint spin = 0; given == 0 && spin < 1000000; ++spin) {
    asm volatile("{\n\t.reg .pred given;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 given, [%1], 0;\n\t"
                 "selp.u32 %0, 1, 0, given;\n\t}"
                 : "=r"(given) : "r"((uint)(size_t)&landed) : "memory");
  }
  last[lane] += given;
  asm volatile("fence.proxy.async;" ::: "memory");
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n\t"
                 "cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;"
                 :: "l"((ulong)result), "r"((uint)(size_t)last) : "memory");
  }
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

// A loop of as many turns as wanted, whose result no compiler knows without making them.
constexpr const char* loop_text = R"(
__kernel void probe(__global ulong* words, __global ulong* result) {
  volatile __global ulong* wanted = words;
  *wanted = TURNS;
  const ulong turns = *wanted;
  uint state = 1;
  for (ulong turn = 0; turn < turns; ++turn) state = state * 1664525u + 1013904223u;
  result[get_local_id(0)] = state;
}
)";

cl::Buffer buffer_of(const cl::Context& context, std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  check(code, "clCreateBuffer", Step::allocate);
  return buffer;
}

}  // namespace

std::vector<std::uint64_t> run_group(const cl::Context& context, const cl::Device& device,
                                     cl::Kernel& kernel, cl_uint result, std::size_t items) {
  cl_int code = CL_SUCCESS;
  const cl::CommandQueue queue(context, device, cl_command_queue_properties{0}, &code);
  check(code, "clCreateCommandQueue");
  auto words = std::make_unique<std::vector<std::uint64_t>>(items);
  const std::size_t bytes = items * sizeof(std::uint64_t);
  const cl::Buffer memory = buffer_of(context, bytes);
  check(kernel.setArg(result, memory), "clSetKernelArg");
  check(queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(items)),
        "clEnqueueNDRangeKernel", Step::enqueue);
  code = queue.enqueueReadBuffer(memory, CL_TRUE, 0, bytes, words->data());
  if (code != CL_SUCCESS && queue.finish() != CL_SUCCESS) {
    core::log().error("opencl: {} bytes are not freed, which a kernel may still write to", bytes);
    static_cast<void>(words.release());
  }
  check(code, "clEnqueueReadBuffer", Step::wait);
  return std::move(*words);
}

namespace {

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
  const cl::Buffer words = buffer_of(context, items * sizeof(std::uint64_t));
  check(kernel.setArg(0, words), "clSetKernelArg");
  return run_group(context, device, kernel, 1, items);
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

std::uint64_t ring_bytes(const cl::Context& context, const cl::Device& device) noexcept {
  // What groups of one to a multiprocessor have from sm_90 on, without what the driver was seen to
  // keep of it; what drivers may leave, and what other architectures have.
  constexpr std::uint32_t sizes[] = {(227U << 10U) - 128U, 200U << 10U, 99U << 10U};
  std::vector<std::uint64_t> expected;
  for (std::uint64_t lane = 0; lane < 32; ++lane) expected.push_back((lane << 40U | lane * 5U) + 1);
  for (const std::uint32_t bytes : sizes) {
    if (gives("bulk copies into local memory", context, device, ring_text,
              "-cl-std=CL1.2 -DRING_BYTES=" + std::to_string(bytes), expected)) {
      return bytes;
    }
  }
  return 0;
}

std::uint64_t loop_turns(const cl::Context& context, const cl::Device& device) noexcept {
  constexpr std::uint64_t least = 65535;
  try {
    const std::string options = "-cl-std=CL1.2 -DTURNS=" + std::to_string(most_loop_turns);
    const std::uint64_t left = run_probe(context, device, loop_text, options, 1).front();
    std::uint32_t state = 1;
    for (std::uint64_t turns = 0; turns <= most_loop_turns; ++turns) {
      if (state == left) {
        if (turns < most_loop_turns) {
          core::log().debug("opencl: loops end after {} turns", turns);
        }
        return turns;
      }
      state = state * 1664525U + 1013904223U;
    }
    core::log().debug("opencl: a loop computes wrongly");
  } catch (const std::exception& failure) {
    try {
      core::log().debug("opencl: how long loops may be is not known: {}", failure.what());
    } catch (...) {  // NOLINT(bugprone-empty-catch): a log that fails changes nothing.
    }
  }
  return least;
}

bool subgroups_work(const cl::Context& context, const cl::Device& device, std::uint32_t width,
                    const std::string& options) noexcept {
  std::vector<std::uint64_t> expected;
  for (std::uint64_t item = 0; item < std::uint64_t{2} * width; ++item) {
    // The highest lane of this sub-group whose work-item is a multiple of three.
    std::uint64_t highest = width - 1;
    while ((item / width * width + highest) % 3 != 0) --highest;
    expected.push_back(3U | highest << 8U);
  }
  return gives("sub-groups", context, device, subgroup_text,
               options + " -DWIDTH=" + std::to_string(width), expected);
}

}  // namespace bifold::backend::opencl
