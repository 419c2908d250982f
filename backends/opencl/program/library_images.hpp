// Programs of the library on a GPU of NVIDIA's: a first call need not wait for the driver's
// compiler, which takes from a tenth of a second to two.
#pragma once

#include <memory>
#include <optional>

#include "core/kernel/embedded.hpp"
#include "opencl/program/program.hpp"

namespace bifold::backend::opencl {

/// Of one device. Thread-safe.
class LibraryImages {
 public:
  /// `planner` is the device that asks, for its dialect. A small kernel shows, here, in which form
  /// the driver runs such programs as it should; it is waited for, as the probes of a device that
  /// is opened are. A driver that runs them in no form gets texts to compile.
  LibraryImages(const backend::Device& planner, cl::Context context, cl::Device device);

  /// The source's program; null where the library has none that this driver takes. Throws
  /// device_lost.
  [[nodiscard]] std::shared_ptr<const Program> find(const Source& source) const;

 private:
  [[nodiscard]] std::shared_ptr<const Program> load(const core::EmbeddedTwin& twin,
                                                    core::EmbeddedForm form) const;
  [[nodiscard]] bool works(const core::EmbeddedTwin& twin, core::EmbeddedForm form) const;
  [[nodiscard]] bool computes(const Program& program) const;

  const backend::Device& planner_;
  cl::Context context_;
  cl::Device device_;
  int architecture_;
  std::optional<core::EmbeddedForm> form_;
};

}  // namespace bifold::backend::opencl
