#include "offline_device.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <span>
#include <utility>

#include "core/device/state.hpp"
#include "core/opening/open_state.hpp"

namespace bifold::backend {
// Generated from the kernel folder.
std::span<const std::pair<std::string_view, std::string_view>> opencl_kernel_files();
}  // namespace bifold::backend

namespace bifold::test {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCategory::unsupported, std::string("without a driver there is no ") + what);
}

class OfflineKernel final : public backend::Kernel {
 public:
  explicit OfflineKernel(std::uint32_t max_group_size) : max_group_size_(max_group_size) {}
  [[nodiscard]] std::uint32_t max_group_size() const override { return max_group_size_; }

 private:
  std::uint32_t max_group_size_;
};

class OfflineProgram final : public backend::Program {
 public:
  OfflineProgram(std::shared_ptr<WantedProgram> wanted, std::uint32_t max_group_size)
      : wanted_(std::move(wanted)), max_group_size_(max_group_size) {}

  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& entry, const backend::LaunchTraits& /*traits*/) const override {
    wanted_->entries.push_back(entry);
    return std::make_shared<OfflineKernel>(max_group_size_);
  }
  [[nodiscard]] std::vector<std::byte> binary() const override { return {}; }

 private:
  std::shared_ptr<WantedProgram> wanted_;
  std::uint32_t max_group_size_;
};

class OfflineDevice final : public backend::Device {
 public:
  OfflineDevice(Description description, WantedPrograms& programs)
      : description_(std::move(description)), programs_(programs) {}

  [[nodiscard]] const Capabilities& capabilities() const noexcept override {
    return description_.capabilities;
  }
  [[nodiscard]] const void* context() const noexcept override { return this; }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }
  [[nodiscard]] backend::Memory allocate(std::uint64_t /*bytes*/) override { refuse("memory"); }
  void free(const backend::Memory& /*memory*/) noexcept override {}
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing /*timing*/) override {
    refuse("queue");
  }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override {
    for (const auto& [file, text] : backend::opencl_kernel_files()) {
      if (file == name) return text;
    }
    throw Error(ErrorCategory::invalid_argument, "no kernel file " + std::string(name));
  }
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override {
    return description_.options;
  }
  [[nodiscard]] const std::string& binary_key() const noexcept override {
    return description_.name;
  }
  // Two devices of one description want a text once.
  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override {
    const auto known = std::find_if(programs_.begin(), programs_.end(), [&](const auto& program) {
      return program->source.text == source.text;
    });
    auto wanted = known != programs_.end() ? *known : std::make_shared<WantedProgram>();
    if (known == programs_.end()) {
      wanted->source = source;
      programs_.push_back(wanted);
    }
    return std::make_shared<OfflineProgram>(wanted, description_.capabilities.max_group_size);
  }
  [[nodiscard]] std::shared_ptr<const backend::Program> load(
      std::span<const std::byte> /*binary*/, const std::string& /*options*/) override {
    refuse("binary");
  }

 private:
  Description description_;
  WantedPrograms& programs_;
};

}  // namespace

Device offline_device(const Description& description, WantedPrograms& programs) {
  DeviceInfo info{};
  info.selector = "opencl:" + description.name;
  info.backend = "opencl";
  info.kind = DeviceKind::gpu;
  info.name = description.name;
  DeviceOptions options;
  options.cache.disk = false;
  return Device(
      core::open_state(info, std::make_shared<OfflineDevice>(description, programs), options));
}

}  // namespace bifold::test
