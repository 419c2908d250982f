// The native kernels of one queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"
#include "opencl/program/program.hpp"

namespace bifold::backend::opencl {

/// One cl_kernel per kernel that the queue launched, with the argument values it holds. Not
/// thread-safe, as its queue.
class QueueKernels {
 public:
  /// The queue's native kernel with `arguments` set; those that it holds already are not set again.
  cl_kernel prepare(const Kernel& kernel, std::span<const Argument> arguments);

 private:
  // An argument as it was last set; size 0 where that is not known.
  struct Held {
    std::array<std::byte, 32> bytes{};
    std::size_t size = 0;
    std::uint64_t identity = 0;
  };
  struct Entry {
    cl::Kernel native;
    std::weak_ptr<const void> lifetime;
    std::vector<Held> held;
  };

  Entry& entry_of(const Kernel& kernel);

  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace bifold::backend::opencl
