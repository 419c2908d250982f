#include "opencl/queue/queue_kernels.hpp"

#include <cstring>

#include "core/base/format.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/svm.hpp"

namespace bifold::backend::opencl {

namespace {

const void* pointer_in(const Argument& argument) {
  const void* pointer = nullptr;
  std::memcpy(&pointer, argument.data, sizeof pointer);
  return pointer;
}

// Whether equal bytes and identities are the same argument. They are not for an object whose end is
// not known: a driver may have resolved it when it was set, and the handle of a released one can
// come back for another.
bool comparable(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::value: return true;
    case ArgumentKind::memory: return argument.identity != 0;
    case ArgumentKind::pointer: return false;
  }
  return false;
}

}  // namespace

QueueKernels::Entry& QueueKernels::entry_of(const Kernel& kernel) {
  const auto found = entries_.find(kernel.id());
  if (found != entries_.end()) {
    return found->second;
  }
  // A new kernel is rare: the moment to let go of those whose program is gone.
  std::erase_if(entries_, [](const auto& entry) { return entry.second.lifetime.expired(); });
  Entry fresh{kernel.instantiate(), kernel.lifetime(), std::vector<Held>(kernel.argument_count())};
  return entries_.emplace(kernel.id(), std::move(fresh)).first->second;
}

cl_kernel QueueKernels::prepare(const Kernel& kernel, std::span<const Argument> arguments) {
  // The native kernel keeps old values, so a missing argument would go unnoticed.
  if (arguments.size() != kernel.argument_count()) {
    refuse(ErrorCategory::invalid_argument,
           core::formatted("kernel {} takes {} arguments, not {}", kernel.entry(),
                           kernel.argument_count(), arguments.size()));
  }
  Entry& entry = entry_of(kernel);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    Held& held = entry.held[i];
    const bool keep = comparable(argument) && argument.size <= held.bytes.size();
    if (keep && held.size == argument.size && held.identity == argument.identity &&
        std::memcmp(held.bytes.data(), argument.data, argument.size) == 0) {
      continue;
    }
    held.size = 0;
    const bool pointer = argument.kind == ArgumentKind::pointer;
    const auto index = static_cast<cl_uint>(i);
    const cl_int code = pointer
                            ? clSetKernelArgSVMPointer(entry.native(), index, pointer_in(argument))
                            : clSetKernelArg(entry.native(), index, argument.size, argument.data);
    if (code != CL_SUCCESS) {
      fail(code, pointer ? "clSetKernelArgSVMPointer" : "clSetKernelArg", Step::enqueue,
           core::formatted("argument {} of kernel {}, {} bytes", i, kernel.entry(), argument.size));
    }
    if (keep) {
      std::memcpy(held.bytes.data(), argument.data, argument.size);
      held.size = argument.size;
      held.identity = argument.identity;
    }
  }
  return entry.native();
}

}  // namespace bifold::backend::opencl
