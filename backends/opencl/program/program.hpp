// Programs and kernels of the OpenCL backend.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// An entry point, as data. A cl_kernel carries its arguments with it and may not be shared between
/// threads, so every queue makes its own from this; see QueueKernels.
class Kernel final : public backend::Kernel {
 public:
  /// Throws backend_failure when the program has no such entry point.
  Kernel(cl::Program program, const cl::Device& device, std::string entry);

  [[nodiscard]] std::uint32_t max_group_size() const override { return max_group_size_; }

  /// A new native kernel; the caller's alone.
  [[nodiscard]] cl::Kernel instantiate() const;

  /// Unique in the process, where an address would come back for another kernel.
  [[nodiscard]] std::uint64_t id() const noexcept { return *id_; }
  /// Expires with this kernel.
  [[nodiscard]] std::weak_ptr<const void> lifetime() const noexcept { return id_; }

  [[nodiscard]] const std::string& entry() const noexcept { return entry_; }
  [[nodiscard]] std::size_t argument_count() const noexcept { return argument_count_; }

 private:
  cl::Program program_;
  std::string entry_;
  std::uint32_t max_group_size_ = 0;
  std::size_t argument_count_ = 0;
  std::shared_ptr<const std::uint64_t> id_;
};

class Program final : public backend::Program {
 public:
  Program(cl::Program program, cl::Device device)
      : program_(std::move(program)), device_(std::move(device)) {}

  /// Compiles `source`; throws build_failure with the log and the numbered source.
  static std::shared_ptr<const Program> build(const cl::Context& context, const cl::Device& device,
                                              const Source& source);
  /// From what binary() gave; throws build_failure when the driver refuses it.
  static std::shared_ptr<const Program> load(const cl::Context& context, const cl::Device& device,
                                             std::span<const std::byte> binary,
                                             const std::string& options);

  using backend::Program::kernel;
  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& entry, const LaunchTraits& traits) const override;
  /// A new native kernel; the caller's alone.
  [[nodiscard]] cl::Kernel instantiate(const std::string& entry) const;
  [[nodiscard]] std::vector<std::byte> binary() const override;

  /// The name of its kernel. Throws backend_failure where it has none or several.
  [[nodiscard]] std::string only_entry() const;

 private:
  cl::Program program_;
  cl::Device device_;
};

}  // namespace bifold::backend::opencl
