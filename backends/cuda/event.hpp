// Events of CUDA streams.
#pragma once

#include <bifold/queue.hpp>
#include <memory>

#include "cuda/stream.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

class Event final : public backend::Event {
 public:
  /// Records behind everything that `stream` holds.
  Event(std::shared_ptr<const Stream> stream, Timing timing);
  ~Event() override;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void wait(TimeLimit limit) const override;
  [[nodiscard]] bool complete() const override;
  [[nodiscard]] double seconds_since(const backend::Event& earlier) const override;

  [[nodiscard]] CUevent get() const noexcept { return event_; }

 private:
  std::shared_ptr<const Stream> stream_;
  Timing timing_;
  CUevent event_ = nullptr;
};

}  // namespace bifold::backend::cuda
