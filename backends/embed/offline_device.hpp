// Devices on paper: they plan, and that of CUDA compiles, as a device of their architecture does,
// and run nothing. Neither driver nor GPU is needed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/kernel/disk_cache.hpp"
#include "core/kernel/embedded.hpp"
#include "cuda/compiler.hpp"
#include "cuda/nvrtc_api.hpp"
#include "interface.hpp"

namespace bifold::embed {

using core::EmbeddedForm;
using core::EmbeddedId;
using core::EmbeddedKey;

/// A text that planning asked a device on paper to build, and how its kernel is launched.
struct Planned {
  backend::Source source;
  std::string entry;
  backend::LaunchTraits launch;
};

/// In the order in which they were asked for.
using PlannedTexts = std::vector<std::shared_ptr<Planned>>;

struct OfflineImage {
  std::string entry;
  std::string bytes;
};

/// What offline devices have compiled. Thread-safe.
class OfflineCompiler {
 public:
  /// What is compiled is kept in `folder` from one run to the next.
  OfflineCompiler(backend::cuda::NvrtcApi api, const std::filesystem::path& folder);

  /// Adds PTX, where the architecture is one of embedded_architectures and no older one had the
  /// text, and machine code, where that is wanted and the target in the options is a real one.
  void compile(const backend::Source& source, int architecture, bool machine_code);

  [[nodiscard]] const backend::cuda::NvrtcApi& api() const noexcept { return api_; }
  [[nodiscard]] const std::map<EmbeddedId, OfflineImage>& programs() const noexcept {
    return programs_;
  }
  /// The bytes of one that has been compiled.
  [[nodiscard]] std::string image(const EmbeddedId& id);

 private:
  [[nodiscard]] backend::cuda::Compiled compiled(const backend::Source& source,
                                                 bool machine_code) const;

  backend::cuda::NvrtcApi api_;
  core::DiskCache kept_;
  std::mutex mutex_;  // Protects what follows.
  std::map<EmbeddedId, OfflineImage> programs_;
};

/// What devices on paper have in common: they plan as a GPU does, note the texts that they are
/// asked to build, and run nothing. One thread plans on one of them.
class OfflineDevice : public backend::Device {
 public:
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return this; }

  [[nodiscard]] backend::Memory allocate(std::uint64_t bytes) override;
  void free(const backend::Memory& /*memory*/) noexcept override {}
  /// Throws unsupported: nothing is enqueued here.
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] const std::string& compile_options() const noexcept override { return options_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return key_; }

  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override;
  /// Throws build_failure: it has given no binary.
  [[nodiscard]] std::shared_ptr<const backend::Program> load(
      std::span<const std::byte> binary) override;

  [[nodiscard]] const PlannedTexts& planned() const noexcept { return planned_; }

 protected:
  OfflineDevice(Capabilities capabilities, std::string options);

 private:
  Capabilities capabilities_;
  std::string options_;
  std::string key_ = "offline";
  PlannedTexts planned_;
};

/// A CUDA device. It compiles for the architecture itself, to machine code, or for it and later
/// ones, to PTX alone.
class OfflineCudaDevice final : public OfflineDevice {
 public:
  OfflineCudaDevice(OfflineCompiler& compiler, int architecture, bool machine_code);

  [[nodiscard]] bool handles_are_addresses() const noexcept override { return true; }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cu"; }
  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override;

 private:
  OfflineCompiler& compiler_;
  int architecture_;
  bool machine_code_;
};

/// A GPU as the newest driver of CUDA shows it.
Capabilities capabilities_on_paper(int architecture);

/// PTX without remarks and blank lines, in the oldest version of the language that knows the words
/// of our kernels: 7.0 of CUDA 11.0, and 8.0 of CUDA 12.0 for those of sm_90. A compiler names its
/// own version, which older drivers refuse. That the words are that old is for ptxas to say.
std::string plain_ptx(std::string_view ptx, int architecture);

}  // namespace bifold::embed
