// The values that a row is tuned with for a call's shape: the architecture's, what is known of such
// elements, and what the device's tuning file says.
#pragma once

#include <bifold/gallery.hpp>

#include "core/shape/request.hpp"
#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// The built-in tuning values of a row for that shape.
Tuning built_in_tuning(const Request& request, const gallery::Variant& variant);

/// The same with those of the device's tuning file in their place.
Tuning tuning_for(const Request& request, const gallery::Variant& variant);

}  // namespace bifold::core
