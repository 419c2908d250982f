// Events of the OpenCL backend.
#pragma once

#include <cstdint>

#include "interface.hpp"
#include "opencl/clhpp.hpp"

namespace bifold::backend::opencl {

/// A marker command in a queue, which has been flushed. Keeps the native event alive, and with it,
/// in the runtime, its context.
class Event final : public backend::Event {
 public:
  /// `queue` identifies the queue among all of the process; `timed` says that it has profiling.
  Event(cl::Event event, cl_context context, std::uint64_t queue, bool timed)
      : event_(std::move(event)), context_(context), queue_(queue), timed_(timed) {}

  void wait(TimeLimit limit) const override;
  [[nodiscard]] bool complete() const override;
  [[nodiscard]] double seconds_since(const backend::Event& earlier) const override;

  [[nodiscard]] cl_event handle() const noexcept { return event_(); }
  [[nodiscard]] cl_context context() const noexcept { return context_; }

 private:
  [[nodiscard]] cl_ulong ended_at() const;

  cl::Event event_;
  cl_context context_;
  std::uint64_t queue_;
  bool timed_;
};

}  // namespace bifold::backend::opencl
