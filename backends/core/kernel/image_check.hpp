// A kernel that says whether a driver runs programs of the library as it should: each kind of
// parameter, as many work-items and as much local memory as they come with.
#pragma once

#include <cstdint>

#include "core/kernel/kernel_source.hpp"

namespace bifold::core {

/// More work-items than a driver gives those that require none.
inline constexpr std::uint32_t image_check_items = 288;

/// What the kernel takes by value.
struct ImageCheckPlaces {
  std::uint64_t factor;
  std::uint64_t added;
};

/// image_check of the kernel folders, with the local memory of a ring where the device has one.
KernelSpec image_check_spec(const Capabilities& has);

/// What it leaves for the item, where word i of its input is i * i.
constexpr std::uint64_t image_check_result(std::uint64_t item, std::uint64_t first,
                                           const ImageCheckPlaces& places) noexcept {
  const std::uint64_t from = first + image_check_items - 1 - item;
  return from * from * places.factor + places.added;
}

}  // namespace bifold::core
