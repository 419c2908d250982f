// What production compiles on a device.
#pragma once

#include <bifold/gallery.hpp>
#include <string>

#include "core/shape/plan_shape.hpp"
#include "offline_device.hpp"

namespace bifold::test {

/// What `bifold-bench check` has found.
enum class Checked : std::uint8_t {
  no,             ///< There was no check.
  passed,         ///< Every row is right.
  single_failed,  ///< The reduction in one launch is wrong.
  order_failed,   ///< That in two launches in order v1 as well.
};

/// A device of that description, with the self-check result of such a check.
Device planned_device(const Description& description, Checked checked, WantedPrograms& programs);

/// The row that production takes; its texts land in the device's programs.
std::string_view production_row(const Device& device, Algorithm algorithm,
                                const core::PlanShape& shape);

/// Every text of production's reductions and scans on such a device, with every self-check result:
/// all types, operators of every kind, order v1 and any, values in device memory.
WantedPrograms production_programs(const Description& description);

}  // namespace bifold::test
