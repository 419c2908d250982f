// The texts in OpenCL C that a GPU of NVIDIA's gets, each with the one in CUDA C++ of the same
// plan: planned by the same planner on two offline devices.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/kernel/embedded.hpp"
#include "embed/offline_device.hpp"
#include "interface.hpp"

namespace bifold::embed {

using core::EmbeddedKey;

/// A GPU as NVIDIA's OpenCL shows it.
Capabilities offline_opencl_capabilities(int architecture);

/// Which parameters of the kernel `entry` point to global memory, bit i for parameter i, by its
/// text in OpenCL C. Throws build_failure where there is no such kernel.
std::uint32_t pointer_parameters(std::string_view text, std::string_view entry);

/// The twins that were found. Thread-safe.
class Twins {
 public:
  /// What both devices planned for the same. Throws build_failure where that differs.
  void add(const PlannedTexts& opencl, const PlannedTexts& cuda, int architecture);

  [[nodiscard]] const std::map<std::pair<EmbeddedKey, int>, core::EmbeddedTwin>& rows() const {
    return rows_;
  }

 private:
  std::mutex mutex_;  // Protects what follows.
  std::map<std::pair<EmbeddedKey, int>, core::EmbeddedTwin> rows_;
};

}  // namespace bifold::embed
