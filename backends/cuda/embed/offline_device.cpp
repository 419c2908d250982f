#include "cuda/embed/offline_device.hpp"

#include <algorithm>
#include <utility>

#include "cuda/capabilities.hpp"
#include "cuda/compiler.hpp"
#include "cuda/error.hpp"

namespace bifold::backend::cuda {

namespace {

class OfflineKernel final : public Kernel {
 public:
  [[nodiscard]] std::uint32_t max_group_size() const override { return 1024; }
};

class OfflineProgram final : public Program {
 public:
  [[nodiscard]] std::shared_ptr<const Kernel> kernel(
      const std::string& /*entry*/, const LaunchTraits& /*traits*/) const override {
    return std::make_shared<const OfflineKernel>();
  }
  [[nodiscard]] std::vector<std::byte> binary() const override { return {}; }
};

}  // namespace

std::string plain_ptx(std::string_view ptx, int architecture) {
  constexpr std::string_view directive = ".version ";
  const std::string_view version = architecture < 90 ? ".version 7.0" : ".version 8.0";
  std::string text;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    line = line.substr(0, line.find("//"));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) line.remove_suffix(1);
    if (line.empty()) continue;
    text.append(line.starts_with(directive) ? version : line) += '\n';
  }
  return text;
}

OfflineCompiler::OfflineCompiler(NvrtcApi api, const std::filesystem::path& folder)
    : api_(std::move(api)), kept_({.directory = folder}) {}

std::string OfflineCompiler::ptx_of(const Source& source) const {
  const std::string key =
      "NVRTC " + version_text(api_) + '\n' + source.options + '\n' + source.text;
  std::vector<std::byte> image = kept_.load(key).binary;
  if (image.empty()) {
    image = cuda::compile(api_, source);
    kept_.store(key, image);
  }
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

void OfflineCompiler::compile(const Source& source, int architecture) {
  const EmbeddedKey key = embedded_key(source);
  {
    const std::lock_guard lock(mutex_);
    if (compiled_.contains(key)) return;
  }
  std::string text = plain_ptx(ptx_of(source), architecture);
  const std::lock_guard lock(mutex_);
  compiled_.try_emplace(key, OfflinePtx{architecture, std::move(text)});
}

OfflineDevice::OfflineDevice(OfflineCompiler& compiler, int architecture)
    : compiler_(compiler),
      architecture_(architecture),
      capabilities_(capabilities_of(architecture)),
      options_(std::string(common_options)
                   .append(target_option)
                   .append("compute_" + std::to_string(architecture))),
      key_("offline") {
  constexpr int newest_driver = 1000000;
  // What an H200 has; that there is enough of it for a ring is all that matters.
  if (has_bulk_copies(architecture, newest_driver)) capabilities_.ring_bytes = 227 << 10;
  capabilities_.overlapped_launches = has_overlapped_launches(architecture, newest_driver);
  capabilities_.compute_units = 1;
}

Memory OfflineDevice::allocate(std::uint64_t bytes) { return {1, bytes, this}; }

std::unique_ptr<Queue> OfflineDevice::create_queue(Timing /*timing*/) {
  throw plain_error(ErrorCategory::unsupported, "nothing runs on an offline device");
}

std::string_view OfflineDevice::kernel_file(std::string_view name) const {
  return kernel_text(name);
}

std::shared_ptr<const Program> OfflineDevice::build(const Source& source) {
  compiler_.compile(source, architecture_);
  return std::make_shared<const OfflineProgram>();
}

std::shared_ptr<const Program> OfflineDevice::load(std::span<const std::byte> /*binary*/) {
  throw plain_error(ErrorCategory::build_failure, "an offline device gives no binaries");
}

}  // namespace bifold::backend::cuda
