// Plans: a variant with its kernels built and its launch sequence known.
#pragma once

#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <cstdint>
#include <memory>

#include "core/tuning.hpp"

namespace bifold::core {

/// Plans with tuning values of the caller's choice, for tests and for the tuner. They are not kept
/// by the device.
ReducePlan make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning);
ScanPlan make_plan(const Device& device, const ScanShape& shape, const Tuning& tuning);

}  // namespace bifold::core
