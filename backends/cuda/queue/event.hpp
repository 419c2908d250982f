// Events of CUDA streams.
#pragma once

#include <bifold/queue.hpp>
#include <memory>

#include "cuda/queue/stream.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

/// What is known of where an event was recorded.
enum class Recorded : std::uint8_t {
  in_stream,  ///< It completes as the stream runs.
  in_graph,   ///< While the stream was captured: it orders work in the graph, and never completes.
  unknown,    ///< By the application.
};

class Event final : public backend::Event {
 public:
  /// Records behind everything that `stream` holds.
  Event(std::shared_ptr<const Stream> stream, Timing timing, Recorded recorded);
  /// The application's event, which it records and which outlives this object.
  explicit Event(CUevent adopted) : recorded_(Recorded::unknown), event_(adopted) {}
  ~Event() override;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void wait(TimeLimit limit) const override;
  [[nodiscard]] bool complete() const override;
  [[nodiscard]] double seconds_since(const backend::Event& earlier) const override;

  [[nodiscard]] CUevent get() const noexcept { return event_; }
  [[nodiscard]] Recorded recorded() const noexcept { return recorded_; }

  /// Throws unless `result`, of a call about this event, is success. What an application's event
  /// stands for may have failed elsewhere: that is backend_failure, and tells nothing of a device.
  void check(CUresult result, const char* call) const;

 private:
  void check_runs() const;

  std::shared_ptr<const Stream> stream_;  ///< Null for the application's event.
  Timing timing_ = Timing::disabled;
  Recorded recorded_;
  CUevent event_ = nullptr;
};

}  // namespace bifold::backend::cuda
