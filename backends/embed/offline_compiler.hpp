// What an offline CUDA device plans, compiled by NVRTC.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/kernel/disk_cache.hpp"
#include "core/kernel/embedded.hpp"
#include "cuda/program/compiler.hpp"
#include "cuda/driver/nvrtc_api.hpp"
#include "embed/offline_cuda.hpp"

namespace bifold::embed {

using core::EmbeddedForm;
using core::EmbeddedId;
using core::EmbeddedKey;

struct OfflineImage {
  std::string entry;
  std::string bytes;
};

/// What compiling devices have compiled. Thread-safe.
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

/// A CUDA device that compiles what is planned on it: for the architecture itself, to machine code,
/// or for it and later ones, to PTX alone.
class CompilingCudaDevice final : public OfflineCudaDevice {
 public:
  CompilingCudaDevice(OfflineCompiler& compiler, int architecture, bool machine_code);

  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override;

 private:
  OfflineCompiler& compiler_;
  int architecture_;
  bool machine_code_;
};

/// PTX without remarks and blank lines, in the oldest version of the language that knows the words
/// of our kernels: 7.0 of CUDA 11.0, and 8.0 of CUDA 12.0 for those of sm_90. A compiler names its
/// own version, which older drivers refuse. That the words are that old is for ptxas to say.
std::string plain_ptx(std::string_view ptx, int architecture);

}  // namespace bifold::embed
