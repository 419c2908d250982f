// A name that an option does not know.
#pragma once

#include <span>
#include <string_view>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "core/base/nearest.hpp"

namespace bench {

/// Names the nearest of the names that the option knows, if one is near, and all of them; `others`
/// are further words that it takes, as ", all".
inline UsageError unknown_name(std::string_view option, std::string_view name,
                               std::span<const std::string_view> known,
                               std::string_view others = ", all") {
  return UsageError(formatted("{}: unknown name '{}'{} (choose from {}{})", option, name,
                              bifold::core::suggestion(name, known), joined(known, ", "), others));
}

}  // namespace bench
