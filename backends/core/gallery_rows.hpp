// The gallery's rows with what only the library sees of them.
#pragma once

#include <bifold/gallery.hpp>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/plan.hpp"

namespace bifold::core {

/// Makes a row's plan: which kernels, which launches.
using Planner = std::shared_ptr<const detail::Plan> (*)(const Device& device,
                                                        const gallery::Variant& variant,
                                                        const PlanShape& shape,
                                                        const Tuning& tuning);

/// What a row has beside its public Variant. `production` has no planner: it names the rows to
/// try, best first, on each kind of device.
struct Row {
  Planner planner = nullptr;
  Tuning fixed;  ///< Parameters that make this row of its family, as UNROLL for persistent_f8.
  std::vector<std::string_view> on_gpu;
  std::vector<std::string_view> on_cpu;
};

/// The internal part of a row of gallery::variants().
const Row& row_of(const gallery::Variant& variant);

/// Its position in the table.
std::uint16_t index_of(const gallery::Variant& variant);

/// The rows that a production row tries on this device, best first.
std::vector<const gallery::Variant*> candidates(const Device& device,
                                                const gallery::Variant& production);

/// Whether production may pick `variant` on this device without being told to.
gallery::Support may_run_unattended(const Device& device, const gallery::Variant& variant);

}  // namespace bifold::core
