// Two plans of one shape, for smaller inputs and for larger ones. Either may be such two again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/plan/plan.hpp"

namespace bifold::core {

using MakePlan = std::function<std::shared_ptr<const detail::Plan>()>;

/// A plan of `variant` that runs `large` from `at_least` elements on, counting what there can be of
/// them, and `small` below. One that no size of the shape asks for is not made.
std::shared_ptr<const detail::Plan> by_size(const Request& request, const gallery::Variant& variant,
                                            std::uint64_t at_least, const MakePlan& small,
                                            const MakePlan& large);

/// What runs from so many elements on.
struct PlanFrom {
  std::uint64_t from;
  MakePlan make;
};

/// The same of any number of them, in ascending order, the first from 0 on.
std::shared_ptr<const detail::Plan> by_size(const Request& request, const gallery::Variant& variant,
                                            std::span<const PlanFrom> plans);

}  // namespace bifold::core
