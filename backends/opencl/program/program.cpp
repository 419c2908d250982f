#include "opencl/program/program.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "core/element/identity.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"

namespace bifold::backend::opencl {

namespace {

std::string numbered(const std::string& text) {
  std::string result;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += core::formatted("{:5} | {}\n", ++number, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// What the compiler said; a driver that cannot tell must not hide the failure itself.
std::string build_log(const cl::Program& program, const cl::Device& device) {
  std::size_t bytes = 0;
  cl_int code =
      clGetProgramBuildInfo(program(), device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  if (code == CL_SUCCESS && bytes != 0) {
    code = clGetProgramBuildInfo(program(), device(), CL_PROGRAM_BUILD_LOG, bytes, log.data(),
                                 nullptr);
  }
  return code == CL_SUCCESS ? trimmed(log) : core::formatted("(no build log: {})", code_name(code));
}

[[noreturn]] void fail_build(cl_int code, const char* call, const std::string& what,
                             std::string log, std::string source) {
  std::string message =
      core::formatted("opencl: {} failed with {} ({}): {}", call, code_name(code), code, what);
  const std::string first_line = log.substr(0, log.find('\n'));
  if (!first_line.empty()) {
    message += ": " + first_line;
  }
  throw Error(category_of(code, Step::build), message,
              {.backend = "opencl",
               .call = call,
               .native_code = code,
               .native_name = std::string(code_name(code)),
               .log = std::move(log),
               .source = std::move(source)});
}

// The work-group size that the kernel's source requires, or 0.
std::size_t required_items(const cl::Kernel& kernel, const cl::Device& device) {
  std::array<std::size_t, 3> sizes{};
  check(clGetKernelWorkGroupInfo(kernel(), device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                 sizeof sizes, sizes.data(), nullptr),
        "clGetKernelWorkGroupInfo");
  return sizes[0] * sizes[1] * sizes[2];
}

cl::Kernel kernel_of(const cl::Program& program, const std::string& entry) {
  cl_int code = CL_SUCCESS;
  cl::Kernel kernel(program, entry.c_str(), &code);
  if (code != CL_SUCCESS) {
    fail(code, "clCreateKernel", Step::other, "entry point " + entry);
  }
  return kernel;
}

}  // namespace

Kernel::Kernel(cl::Program program, const cl::Device& device, std::string entry)
    : program_(std::move(program)),
      entry_(std::move(entry)),
      id_(std::make_shared<const std::uint64_t>(core::next_identity())) {
  const cl::Kernel kernel = instantiate();
  std::size_t items = 0;
  check(clGetKernelWorkGroupInfo(kernel(), device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof items,
                                 &items, nullptr),
        "clGetKernelWorkGroupInfo");
  // NVIDIA's driver (580) answers 256 for every kernel, those that require more and run included.
  if (is_nvidias(device())) items = std::max(items, required_items(kernel, device));
  max_group_size_ = static_cast<std::uint32_t>(
      std::min<std::size_t>(items, std::numeric_limits<std::uint32_t>::max()));
  cl_uint arguments = 0;
  check(clGetKernelInfo(kernel(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
        "clGetKernelInfo");
  argument_count_ = arguments;
}

cl::Kernel Kernel::instantiate() const { return kernel_of(program_, entry_); }

std::shared_ptr<const Program> Program::build(const cl::Context& context, const cl::Device& device,
                                              const Source& source) {
  if (device_value<cl_bool>(device(), CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) {
    refuse(ErrorCategory::unavailable, "the device's driver has no compiler");
  }
  cl_int code = CL_SUCCESS;
  const char* text = source.text.data();
  const std::size_t length = source.text.size();
  const cl::Program program(clCreateProgramWithSource(context(), 1, &text, &length, &code));
  if (code != CL_SUCCESS) {
    fail_build(code, "clCreateProgramWithSource", source.name, {}, numbered(source.text));
  }
  code = program.build(device, source.options.c_str());
  if (code != CL_SUCCESS) {
    fail_build(code, "clBuildProgram", core::formatted("{} with {}", source.name, source.options),
               build_log(program, device), numbered(source.text));
  }
  return std::make_shared<const Program>(program, device);
}

std::shared_ptr<const Program> Program::load(const cl::Context& context, const cl::Device& device,
                                             std::span<const std::byte> binary,
                                             const std::string& options) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  auto* const id = device();
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  const cl::Program program(
      clCreateProgramWithBinary(context(), 1, &id, &length, &bytes, &status, &code));
  if (code == CL_SUCCESS) {
    code = status;
  }
  if (code != CL_SUCCESS) {
    fail_build(code, "clCreateProgramWithBinary",
               core::formatted("the driver refused a binary of {} bytes", length), {}, {});
  }
  code = program.build(device, options.c_str());
  if (code != CL_SUCCESS) {
    fail_build(code, "clBuildProgram", core::formatted("a binary of {} bytes", length),
               build_log(program, device), {});
  }
  return std::make_shared<const Program>(program, device);
}

// Local memory is declared in the text, however much it is.
std::shared_ptr<const backend::Kernel> Program::kernel(const std::string& entry,
                                                       const LaunchTraits& /*traits*/) const {
  return std::make_shared<const Kernel>(program_, device_, entry);
}

cl::Kernel Program::instantiate(const std::string& entry) const {
  return kernel_of(program_, entry);
}

std::string Program::only_entry() const {
  std::size_t bytes = 0;
  check(clGetProgramInfo(program_(), CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes),
        "clGetProgramInfo");
  std::string names(bytes, '\0');
  check(clGetProgramInfo(program_(), CL_PROGRAM_KERNEL_NAMES, bytes, names.data(), nullptr),
        "clGetProgramInfo");
  names = trimmed(names);
  if (names.empty() || names.find(';') != std::string::npos) {
    refuse(ErrorCategory::backend_failure, "a program of one kernel has \"" + names + '"');
  }
  return names;
}

std::vector<std::byte> Program::binary() const {
  // A program is one of all devices of its context, and a driver answers for each of them; PoCL 3.1
  // for those that it was built for, which is this one.
  const auto ask = [this](cl_program_info what, auto& values) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is what some of these are.
    constexpr std::size_t each = sizeof values.front();
    std::size_t bytes = 0;
    const cl_int code = clGetProgramInfo(program_(), what, values.size() * each,
                                         static_cast<void*>(values.data()), &bytes);
    values.resize(std::min(values.size(), bytes / each));
    return code;
  };
  cl_uint count = 0;
  cl_int code = clGetProgramInfo(program_(), CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr);
  std::vector<cl_device_id> devices(count);
  std::vector<std::size_t> sizes(count);
  if (code == CL_SUCCESS) code = ask(CL_PROGRAM_DEVICES, devices);
  if (code == CL_SUCCESS) code = ask(CL_PROGRAM_BINARY_SIZES, sizes);
  const auto place = static_cast<std::size_t>(std::find(devices.begin(), devices.end(), device_()) -
                                              devices.begin());
  const std::size_t own = sizes.size() == 1 ? 0 : place;
  std::vector<std::byte> result(code == CL_SUCCESS && own < sizes.size() ? sizes[own] : 0);
  if (!result.empty()) {
    // A null says that the binary for that device is not wanted.
    std::vector<unsigned char*> targets(sizes.size());
    targets[own] = reinterpret_cast<unsigned char*>(result.data());
    code = ask(CL_PROGRAM_BINARIES, targets);
  }
  // A driver that keeps its binaries to itself is no failure of the program.
  if (code != CL_SUCCESS) {
    core::log().debug("opencl: no program binary: {} ({})", code_name(code), code);
    return {};
  }
  return result;
}

}  // namespace bifold::backend::opencl
