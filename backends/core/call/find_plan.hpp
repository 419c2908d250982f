// The plan of a call: known, or made of the row that is chosen and the values that it is tuned
// with.
#pragma once

#include <bifold/gallery.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/plan/plan.hpp"
#include "core/shape/request.hpp"

namespace bifold::detail {
struct QueueState;
}

namespace bifold::core {

/// Whom a plan is for: a call of an array, or of lines, of up to n elements.
struct Caller {
  detail::QueueState& queue;
  std::uint64_t n;
};

/// The device's plan of that shape, built at the first use: for all sizes, or at least for that of
/// a call, which compiles no other kernel than it runs. For a call, throws unsupported when it
/// would be built while the queue's work is captured in a graph.
std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, PlanShape shape,
                                              const std::optional<Caller>& caller = {});

/// The row that serves all that are fewer elements than `row` is for, where production, `asked`,
/// runs that one; none where it is for any number.
const gallery::Variant* row_for_fewer(const Request& request, const gallery::Variant& asked,
                                      const gallery::Variant& row);

}  // namespace bifold::core
