// Which files a kernel is made of, and what of a shape decides about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/kernel_source.hpp"
#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// A kernel file, by its base name in both kernel folders, and the prelude files that go in front,
/// as Recipe names them.
struct KernelFile {
  Algorithm algorithm;
  std::string_view family;
  std::vector<std::string_view> prelude;
};

/// The spec of `entry` in that file: its prelude files, with the device's paths for those that have
/// several, and the tuning values in capitals as defines, with VEC where it moves packs.
KernelSpec make_spec(const Request& request, const KernelFile& file, const Tuning& tuning,
                     std::string_view entry);
/// The same of the row's own file.
KernelSpec make_spec(const Request& request, const Row& row, const Tuning& tuning,
                     std::string_view entry);

/// Elements of the shape that one pack holds.
std::uint32_t pack_width(const Row& row, const PlanShape& shape, const Tuning& tuning);

/// Adds the files of the prelude that stand for `file`, a word of Recipe::prelude, on this device
/// and in this shape.
void add_prelude(const Request& request, KernelSpec& spec, std::string_view file);

/// The prelude file by which kernels find the initial value.
std::string init_path(Algorithm algorithm, const PlanShape& shape);
/// The one by which they find the number of elements.
std::string count_path(const DeviceValues& on_device);

}  // namespace bifold::core
