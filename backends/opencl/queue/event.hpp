// Events of the OpenCL backend.
#pragma once

#include <cstdint>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// A command in a queue, or an event of the application's. Keeps the native event alive, and with
/// it, in the runtime, its context.
class Event final : public backend::Event {
 public:
  /// `queue` identifies the queue among all of the process; `timed` says that it has profiling.
  /// `unflushed` is the native queue where nobody has flushed it, else null. `tells_of_device` says
  /// that nothing the application enqueues or sets can make it fail, but the device alone.
  Event(cl::Event event, cl_context context, std::uint64_t queue, bool timed,
        cl::CommandQueue unflushed = {}, bool tells_of_device = false)
      : event_(std::move(event)),
        context_(context),
        queue_(queue),
        timed_(timed),
        unflushed_(std::move(unflushed)),
        tells_of_device_(tells_of_device) {}

  void wait(TimeLimit limit) const override;
  [[nodiscard]] bool complete() const override;
  [[nodiscard]] double seconds_since(const backend::Event& earlier) const override;

  [[nodiscard]] const cl::Event& native() const noexcept { return event_; }
  [[nodiscard]] cl_context context() const noexcept { return context_; }
  /// Where it does not, its failure is backend_failure, whatever the code.
  [[nodiscard]] bool tells_of_device() const noexcept { return tells_of_device_; }

 private:
  [[nodiscard]] cl_ulong ended_at() const;

  cl::Event event_;
  cl_context context_;
  std::uint64_t queue_;
  bool timed_;
  cl::CommandQueue unflushed_;
  bool tells_of_device_;
};

}  // namespace bifold::backend::opencl
