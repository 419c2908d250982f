// Arrays in host memory that a device works on piece by piece, while pieces before and behind are
// copied.
#pragma once

#include <array>
#include <atomic>
#include <bifold/event.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>

#include "core/group/device_array.hpp"

namespace bifold::core {

/// What is read from host memory, and where as many results go to, if anywhere.
struct HostArrays {
  const std::byte* elements;
  std::byte* outputs;
  std::uint64_t count;
};

class HostPieces {
 public:
  /// Pieces of up to `bytes` bytes of elements, that end with units of `unit` elements where these
  /// fit.
  HostPieces(Type input, std::optional<Type> output, std::uint64_t bytes, std::uint64_t unit);

  /// Calls work(elements, outputs) for piece after piece, which enqueues on `queue`. The arrays'
  /// first element is number `first` of all. Blocks until the host's memory is no longer in use.
  void run(Queue& queue, std::uint64_t first, const HostArrays& arrays,
           const std::function<void(const ErasedView&, const ErasedView&)>& work);

  /// Whether work of the queue has failed that was waited for.
  [[nodiscard]] bool lost_work() const noexcept { return lost_work_; }

 private:
  struct Place {
    DeviceArray input;
    DeviceArray output;
    Event done;                    // The work on it.
    std::future<void> downloaded;  // Valid while it goes on.
  };

  void make_room(const Device& device, std::uint64_t count);
  void wait_for(const Event& work);
  void download(Queue& queue, const Event& work, const ErasedView& from, std::byte* to);

  Type input_;
  std::optional<Type> output_;
  std::uint64_t piece_;
  std::uint64_t room_ = 0;
  std::array<Place, 3> places_;
  std::optional<Queue> uploads_;
  std::optional<Queue> downloads_;
  std::atomic<bool> lost_work_{false};
};

}  // namespace bifold::core
