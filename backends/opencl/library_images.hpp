// Programs of the library on a GPU of NVIDIA's: a first call need not wait for the driver's
// compiler, which takes from a tenth of a second to two.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "core/embedded.hpp"
#include "opencl/program.hpp"

namespace bifold::backend::opencl {

/// Of one device. Thread-safe. Before the first program in a form a small kernel shows whether the
/// driver runs such programs as it should; where it does not, texts are compiled.
class LibraryImages {
 public:
  /// `planner` is the device that asks, for its dialect.
  LibraryImages(const backend::Device& planner, cl::Context context, cl::Device device);

  /// The source's program; null where the library has none that this driver takes.
  std::shared_ptr<const Program> find(const Source& source);

 private:
  std::shared_ptr<const Program> load(const core::EmbeddedTwin& twin,
                                      core::EmbeddedForm form) const;
  bool works(core::EmbeddedForm form);
  [[nodiscard]] bool check(core::EmbeddedForm form) const;
  [[nodiscard]] bool computes(const Program& program) const;

  const backend::Device& planner_;
  cl::Context context_;
  cl::Device device_;
  int architecture_;
  std::mutex mutex_;  // Protects what follows.
  std::array<std::optional<bool>, core::embedded_forms.size()> works_;
};

}  // namespace bifold::backend::opencl
