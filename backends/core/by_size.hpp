// Two plans of one shape, for small inputs and for large ones.
#pragma once

#include <cstdint>
#include <memory>

#include "core/plan.hpp"

namespace bifold::core {

/// A plan of `variant` that runs `large` from `at_least` elements on, counting what there can be of
/// them, and `small` below.
std::shared_ptr<const detail::Plan> by_size(const Device& device, const gallery::Variant& variant,
                                            const PlanShape& shape, std::uint64_t at_least,
                                            std::shared_ptr<const detail::Plan> small,
                                            std::shared_ptr<const detail::Plan> large);

}  // namespace bifold::core
