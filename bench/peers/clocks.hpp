// Clocks, as a device's driver tells them.
#pragma once

#include <bifold/device.hpp>

namespace bench {

/// The most that the driver lets them run at, in MHz; 0 unknown.
struct Clocks {
  double core = 0;
  double memory = 0;
};

Clocks clocks_of(const bifold::Device& device);

}  // namespace bench
