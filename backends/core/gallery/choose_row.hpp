// Which row of the gallery runs.
#pragma once

#include <bifold/gallery.hpp>
#include <string>
#include <string_view>

#include "core/shape/request.hpp"

namespace bifold::core {

/// The row that runs for `variant` ("production" resolved, each rejection with its reason), or null
/// and the reasons.
struct Choice {
  const gallery::Variant* variant = nullptr;
  std::string reasons;
};
/// Rows behind `after` only, where there is one.
Choice choose_row(const Request& request, const gallery::Variant& variant,
                  const gallery::Variant* after = nullptr);

/// The row that runs on this device for `name` ("production" resolved), after checking that it
/// can. Throws invalid_argument for an unknown name or an operator not defined on the accumulator,
/// unsupported with the reason when the device cannot run it.
const gallery::Variant& choose_variant(const Request& request, Algorithm algorithm,
                                       std::string_view name);

}  // namespace bifold::core
