// The backends this library was built with.
#pragma once

#include <span>
#include <string_view>

#include "interface.hpp"

namespace bifold::backend {

/// A backend, or the reason why this build has none of that name.
struct Registration {
  std::string_view name;
  const Backend* backend;  ///< Null when left out of the build.
};

/// Every backend by preference, those left out of the build included.
std::span<const Registration> registered_backends();

}  // namespace bifold::backend
