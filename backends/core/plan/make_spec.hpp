// Everything that makes one kernel, from a request and tuning values.
#pragma once

#include <span>
#include <string_view>

#include "core/kernel/kernel_source.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// A kernel's own part, by its name in both kernel folders, and what tells its rows apart.
struct KernelPart {
  Algorithm algorithm;
  std::string_view family;
  bool by_vectors = false;                     ///< As PartQuestion::by_vectors.
  bool stores_vectors = false;                 ///< As Recipe::stores_vectors.
  std::optional<std::uint32_t> groups_held{};  ///< As KernelSpec::groups_held.
  bool held_by_option = false;                 ///< As KernelSpec::held_by_option.
};

/// The spec of `entry` in that part: the parts that it uses, with the device's own for those that
/// have several, and the tuning values that have a define.
KernelSpec make_spec(const Request& request, const KernelPart& kernel, const Tuning& tuning,
                     std::string_view entry, std::span<const ForcedPart> forced = {});
/// The same of the row's own part.
KernelSpec make_spec(const Request& request, const Row& row, const Tuning& tuning,
                     std::string_view entry, std::span<const ForcedPart> forced = {});

/// Adds the scalars that the spec's texts name: a plan's kernels have not all of its texts. For
/// specs that are made otherwise, before their parts are added.
void add_scalars(const Request& request, KernelSpec& spec);

/// Elements of the shape that one vector holds.
std::uint32_t vector_width(const Row& row, const PlanShape& shape, const Tuning& tuning);

}  // namespace bifold::core
