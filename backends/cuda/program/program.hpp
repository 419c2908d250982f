// Loaded modules and their entry points.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/driver/context.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

/// A module in its context. Shared by its program and that program's kernels.
class Module {
 public:
  /// Loads a cubin or PTX. Throws build_failure, with the driver's log, for one it refuses.
  Module(std::shared_ptr<const Context> context, const std::vector<std::byte>& image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] CUmodule get() const noexcept { return module_; }
  [[nodiscard]] const Context& context() const noexcept { return *context_; }

 private:
  std::shared_ptr<const Context> context_;
  CUmodule module_ = nullptr;
};

class Kernel final : public backend::Kernel {
 public:
  Kernel(std::shared_ptr<const Module> module, const std::string& entry,
         const LaunchTraits& traits);

  [[nodiscard]] std::uint32_t max_group_size() const override { return max_group_size_; }
  [[nodiscard]] CUfunction get() const noexcept { return function_; }
  [[nodiscard]] const LaunchTraits& traits() const noexcept { return traits_; }

 private:
  std::shared_ptr<const Module> module_;
  CUfunction function_ = nullptr;
  std::uint32_t max_group_size_ = 0;
  LaunchTraits traits_;
};

class Program final : public backend::Program {
 public:
  Program(std::shared_ptr<const Context> context, std::vector<std::byte> image);

  using backend::Program::kernel;
  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& entry, const LaunchTraits& traits) const override;
  [[nodiscard]] std::vector<std::byte> binary() const override { return image_; }

 private:
  std::vector<std::byte> image_;
  std::shared_ptr<const Module> module_;
};

}  // namespace bifold::backend::cuda
