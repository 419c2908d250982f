// How long tests wait.
#pragma once

#include <chrono>

namespace bifold::test {

/// A limit for waits that end: ctest's own, which only a hang meets, comes long before.
inline constexpr std::chrono::hours patience{24};

}  // namespace bifold::test
