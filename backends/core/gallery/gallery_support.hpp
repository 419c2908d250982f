// What a device can run of the gallery, and why not.
#pragma once

#include <bifold/gallery.hpp>

#include "core/shape/request.hpp"

namespace bifold::core {

/// Whether the device can run `variant` on every type of the shape.
gallery::Support supports_shape(const Request& request, const gallery::Variant& variant);

}  // namespace bifold::core
