#include "opencl/device/device.hpp"

#include <array>
#include <utility>

#include "core/base/format.hpp"
#include "core/element/identity.hpp"
#include "core/kernel/embedded.hpp"
#include "opencl/device/capabilities.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"
#include "opencl/driver/svm.hpp"
#include "opencl/program/options.hpp"
#include "opencl/program/program.hpp"
#include "opencl/queue/queue.hpp"

namespace bifold::backend {
// Generated from the kernel folder.
std::span<const std::pair<std::string_view, std::string_view>> opencl_kernel_files();
}  // namespace bifold::backend

namespace bifold::backend::opencl {

namespace {

cl::Context make_context(const cl::Device& device) {
  auto* const id = device();
  // Naming the platform is optional in the standard and required by some drivers.
  const std::array<cl_context_properties, 3> properties{
      CL_CONTEXT_PLATFORM,
      reinterpret_cast<cl_context_properties>(device_value<cl_platform_id>(id, CL_DEVICE_PLATFORM)),
      0};
  cl_int code = CL_SUCCESS;
  cl::Context context(clCreateContext(properties.data(), 1, &id, nullptr, nullptr, &code));
  check(code, "clCreateContext", Step::open);
  return context;
}

std::string make_binary_key(const cl::Device& device) {
  auto* const id = device();
  std::string key =
      core::formatted("opencl\n{}\n{}\n{}\n{}\n{}", platform_of(id),
                      device_text(id, CL_DEVICE_NAME), device_text(id, CL_DEVICE_VENDOR),
                      device_text(id, CL_DRIVER_VERSION), device_text(id, CL_DEVICE_VERSION));
  // Programs of the library are kept, too, and are not made of the text that they are kept under.
  if (is_nvidias(id)) key += core::formatted("\nimages {:x}", core::embedded_table().digest);
  return key;
}

}  // namespace

Device::Device(const cl::Device& device) : Device(make_context(device), device) {}

Device::Device(cl::Context context, cl::Device device)
    : device_(std::move(device)),
      context_(std::move(context)),
      capabilities_(read_capabilities(context_, device_)),
      compile_options_(compile_options_for(device_, capabilities_)),
      binary_key_(make_binary_key(device_)) {
  if (is_nvidias(device_())) images_.emplace(*this, context_, device_);
}

Memory Device::allocate(std::uint64_t bytes) {
  if (bytes > capabilities_.max_allocation_bytes) {
    refuse(ErrorCategory::out_of_memory,
           core::formatted("{} bytes were asked for, but no buffer of this device may exceed {}",
                           bytes, capabilities_.max_allocation_bytes));
  }
  // Many drivers place a buffer at its first use only, where a lack of room would surface in some
  // later call; what this library itself has taken is at least known here.
  const std::uint64_t before = allocated_bytes_.fetch_add(bytes);
  cl_int code = CL_SUCCESS;
  cl_mem object = nullptr;
  if (before + bytes <= capabilities_.global_bytes) {
    object = clCreateBuffer(context_(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (code == CL_SUCCESS) {
      Memory memory{reinterpret_cast<std::uintptr_t>(object), bytes, context_()};
      memory.identity = core::next_identity();
      return memory;
    }
  }
  allocated_bytes_.fetch_sub(bytes);
  const std::string subject =
      core::formatted("{} bytes, of {} with {} in use", bytes, capabilities_.global_bytes, before);
  if (code == CL_SUCCESS) {
    refuse(ErrorCategory::out_of_memory, "the device has no room for " + subject);
  }
  fail(code, "clCreateBuffer", Step::allocate, subject);
}

void Device::free(const Memory& memory) noexcept {
  allocated_bytes_.fetch_sub(memory.bytes);
  auto* const object =
      reinterpret_cast<cl_mem>(memory.handle);  // NOLINT(performance-no-int-to-ptr)
  // The runtime keeps the object until the commands that use it are done.
  const cl_int code = clReleaseMemObject(object);
  if (code != CL_SUCCESS) {
    log_failure(code, "clReleaseMemObject");
  }
}

backend::HostVisible Device::allocate_host_visible(std::uint64_t bytes) {
  const auto svm = device_value_or<cl_bitfield>(device_(), device_svm_capabilities, 0);
  if ((svm & device_svm_fine_grain_buffer) == 0 || !loader_has_svm()) return {};
  void* const host =
      clSVMAlloc(context_(), CL_MEM_READ_WRITE | mem_svm_fine_grain_buffer, bytes, 0);
  if (host == nullptr) {
    refuse(ErrorCategory::out_of_memory, core::formatted("clSVMAlloc gave no {} bytes", bytes));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(host);
  return {{address, bytes, context_(), detail::HandleKind::pointer, true, true,
           detail::address_space, address},
          static_cast<const std::byte*>(host)};
}

void Device::free_host_visible(const backend::HostVisible& cell) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was one.
  clSVMFree(context_(), reinterpret_cast<void*>(cell.memory.handle));
}

std::unique_ptr<backend::Queue> Device::create_queue(Timing timing) {
  return std::make_unique<Queue>(context_, device_, timing);
}

std::string_view Device::kernel_file(std::string_view name) const {
  for (const auto& [file, text] : opencl_kernel_files()) {
    if (file == name) {
      return text;
    }
  }
  refuse(ErrorCategory::invalid_argument,
         core::formatted("there is no kernel part \"{}\" in OpenCL C", name));
}

std::string Device::options_to_hold(std::uint32_t groups, std::uint32_t group_size) const {
  if (!is_nvidias(device_())) return {};
  const auto registers =
      device_value_or<cl_uint>(device_(), CL_DEVICE_REGISTERS_PER_BLOCK_NV, cl_uint{0});
  return register_limit(registers, groups, group_size);
}

std::shared_ptr<const backend::Program> Device::build(const Source& source) {
  if (images_) {
    if (auto program = images_->find(source)) return program;
  }
  return Program::build(context_, device_, source);
}

std::shared_ptr<const backend::Program> Device::load(std::span<const std::byte> binary,
                                                     const std::string& options) {
  return Program::load(context_, device_, binary, options);
}

}  // namespace bifold::backend::opencl
