#include "cuda/device/device.hpp"

#include <span>
#include <utility>

#include "core/base/log.hpp"
#include "core/kernel/embedded.hpp"
#include "cuda/device/capabilities.hpp"
#include "cuda/program/compiler.hpp"
#include "cuda/program/program.hpp"
#include "cuda/queue/queue.hpp"

namespace bifold::backend::cuda {
namespace {

constexpr int oldest_architecture = 70;

CUdevice supported_device(std::uint32_t index) {
  const CUdevice device = device_of(index);
  if (const int architecture = architecture_of(device); architecture < oldest_architecture) {
    throw plain_error(ErrorCategory::unsupported, "cuda:" + std::to_string(index) + " is sm_" +
                                                      std::to_string(architecture) +
                                                      "; sm_70 and later are supported");
  }
  return device;
}

std::uint32_t index_of(CUdevice device) {
  const std::uint32_t count = device_count();
  for (std::uint32_t index = 0; index < count; ++index) {
    if (device_of(index) == device) return index;
  }
  raise_invalid_argument("the driver does not list the context's device");
}

}  // namespace

Device::Device(std::uint32_t index)
    : Device(index, std::make_shared<const Context>(supported_device(index))) {}

Device::Device(CUcontext adopted) : Device(std::make_shared<const Context>(adopted)) {}

Device::Device(const std::shared_ptr<const Context>& context)
    : Device(index_of(context->device()), context) {}

Device::Device(std::uint32_t index, std::shared_ptr<const Context> context)
    : index_(index),
      capabilities_(read_capabilities(supported_device(index))),
      context_(std::move(context)) {
  find_compiler();
  key_ = read_info(index).name + ", " + capabilities_.architecture + ", driver " +
         std::to_string(driver().version) + ", " +
         (compiler_ != nullptr ? "NVRTC " + version_text(*compiler_) : "no NVRTC");
}

void Device::find_compiler() {
  std::string target = capabilities_.architecture;
  const int architecture = architecture_of(context_->device());
  try {
    const NvrtcApi& api = nvrtc();
    if (std::string known = target_for(api, architecture); known.empty()) {
      no_compiler_ = "NVRTC " + version_text(api) + " does not compile for " + target;
    } else {
      target = std::move(known);
      compiler_ = &api;
      // It writes PTX of its own version, which may know less than the driver.
      if (!has_bulk_copies(architecture, api.major * 1000)) {
        capabilities_.ring_bytes = 0;
        capabilities_.overlapped_launches = false;
      }
    }
  } catch (const Error& error) {
    no_compiler_ = error.what();
  }
  options_ = std::string(common_options).append(core::target_option).append(target);
}

Memory Device::allocate(std::uint64_t bytes) {
  const CurrentContext current(*context_);
  const OutsideCapture outside;
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc(&address, bytes), "cuMemAlloc");
  return {static_cast<std::uintptr_t>(address), bytes, context_->get()};
}

void Device::free(const Memory& memory) noexcept {
  const CurrentContext current(*context_, std::nothrow);
  if (!current.pushed()) return;
  const OutsideCapture outside;
  log_failure(driver().cuMemFree(memory.handle), "cuMemFree");
}

// Page-locked memory has one address for host and device.
backend::HostVisible Device::allocate_host_visible(std::uint64_t bytes) {
  const CurrentContext current(*context_);
  const OutsideCapture outside;
  void* host = nullptr;
  check(driver().cuMemAllocHost(&host, bytes), "cuMemAllocHost");
  return {{reinterpret_cast<std::uintptr_t>(host), bytes, context_->get()},
          static_cast<const std::byte*>(host)};
}

void Device::free_host_visible(const backend::HostVisible& cell) noexcept {
  const CurrentContext current(*context_, std::nothrow);
  if (!current.pushed()) return;
  const OutsideCapture outside;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was one.
  void* const host = reinterpret_cast<void*>(cell.memory.handle);
  log_failure(driver().cuMemFreeHost(host), "cuMemFreeHost");
}

std::unique_ptr<backend::Queue> Device::create_queue(Timing timing) {
  return std::make_unique<Queue>(std::make_shared<const Stream>(context_), timing);
}

std::unique_ptr<backend::Queue> Device::adopt(CUstream stream, Timing timing) const {
  return std::make_unique<Queue>(std::make_shared<const Stream>(context_, stream), timing);
}

std::string_view Device::kernel_file(std::string_view name) const { return kernel_text(name); }

std::string Device::refusal(const Source& source) const {
  return source.name + " cannot be compiled: " + core::about_embedded() +
         "; everything else runs on this GPU through OpenCL (selector \"opencl:nvidia\"), or with "
         "NVRTC installed: " +
         no_compiler_;
}

std::shared_ptr<const backend::Program> Device::from_library(const Source& source) const {
  const bool by_architecture = core::asks_for_architecture(source);
  const core::EmbeddedKey key = core::embedded_key(source);
  for (const core::EmbeddedForm form : core::embedded_forms) {
    const bool is_ptx = form == core::EmbeddedForm::ptx;
    if (is_ptx && by_architecture && compiler_ != nullptr) return nullptr;
    const std::string_view name = core::name_of(form);
    try {
      std::vector<std::byte> image = core::embedded(key, form, architecture_of(context_->device()));
      if (image.empty()) continue;
      auto program = std::make_shared<const Program>(context_, std::move(image));
      core::log().debug("cuda: {} from the {} in the library", source.name, name);
      return program;
    } catch (const Error& error) {
      // A driver may be too old for either, may lack its compiler of PTX, or may be told to use
      // that one alone.
      const bool of_the_image = error.category() == ErrorCategory::build_failure ||
                                error.category() == ErrorCategory::backend_failure;
      if (!of_the_image || (is_ptx && compiler_ == nullptr)) throw;
      constexpr std::string_view refusal = "cuda: the {} of {} in the library cannot be used: {}";
      if (is_ptx) {
        core::log().warn(refusal, name, source.name, error.what());
      } else {
        core::log().debug(refusal, name, source.name, error.what());
      }
    }
  }
  return nullptr;
}

std::shared_ptr<const backend::Program> Device::build(const Source& source) {
  if (auto program = from_library(source)) return program;
  if (compiler_ == nullptr) throw plain_error(ErrorCategory::unavailable, refusal(source));
  Compiled compiled = compile(*compiler_, source);
  return std::make_shared<const Program>(context_, compiled.machine_code.empty()
                                                       ? std::move(compiled.ptx)
                                                       : std::move(compiled.machine_code));
}

std::shared_ptr<const backend::Program> Device::load(std::span<const std::byte> binary,
                                                     const std::string& /*options*/) {
  return std::make_shared<const Program>(context_,
                                         std::vector<std::byte>(binary.begin(), binary.end()));
}

}  // namespace bifold::backend::cuda
