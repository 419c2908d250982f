// What an application asks of the toy backend beside bifold's own interface.
#pragma once

#include <bifold/device.hpp>
#include <bifold/export.hpp>
#include <cstdint>

namespace bifold::interop::toy {

/// What went through a device since it was opened.
struct Counts {
  std::uint64_t programs;    ///< Built from source, or loaded from the disk cache.
  std::uint64_t launches;    ///< Kernels enqueued.
  std::uint64_t uploaded;    ///< Bytes from the host to the device.
  std::uint64_t downloaded;  ///< Bytes from the device to the host.
};

/// Throws invalid_argument for a device of another backend.
BIFOLD_API Counts counts(const Device& device);

}  // namespace bifold::interop::toy
