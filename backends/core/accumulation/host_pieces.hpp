// Arrays in host memory that a device works on piece by piece, while pieces before and behind are
// copied.
#pragma once

#include <array>
#include <atomic>
#include <bifold/event.hpp>
#include <bifold/queue.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <optional>

#include "core/slices/device_array.hpp"

namespace bifold::core {

/// What is read from host memory, and where as many results go to, if anywhere.
struct HostArrays {
  const std::byte* elements;
  const std::byte* second;  ///< Of a second array, if there is one.
  std::byte* outputs;
  std::uint64_t count;
};

/// The same on the device, without those that are not there.
struct DevicePiece {
  ErasedView elements;
  ErasedView second;
  ErasedView outputs;
};

class HostPieces {
 public:
  /// Enqueues the work on a piece's elements, which leaves as many outputs, if any.
  using Work = std::function<void(const DevicePiece& piece)>;

  /// Pieces of up to `bytes` bytes of elements, that end with units of `unit` elements where these
  /// fit.
  HostPieces(Type input, std::optional<Type> second, std::optional<Type> output,
             std::uint64_t bytes, std::uint64_t unit);

  /// Calls work for piece after piece, which enqueues on `queue`. The arrays' first element is
  /// number `first` of all. Blocks until the host's memory is no longer in use.
  void run(Queue& queue, std::uint64_t first, const HostArrays& arrays, const Work& work);

  /// What run() met when it waited for work of the queue that had failed, if it did.
  [[nodiscard]] const std::exception_ptr& loss() const noexcept { return loss_; }

 private:
  // What one piece takes on the device. Its copies go through a queue of its own, so that the next
  // copy stands behind one that goes on.
  struct Place {
    std::optional<Queue> copies;
    DeviceArray input;
    DeviceArray second;
    DeviceArray output;
    Event done;                // The work on it.
    std::future<void> copied;  // Valid while a copy goes on.
  };
  struct Run;

  void make_room(const Device& device, std::uint64_t count);
  void wait_for(const Event& work);
  void wait_for(Place& place);

  Type input_;
  std::optional<Type> second_;
  std::optional<Type> output_;
  std::uint64_t piece_;
  std::uint64_t room_ = 0;
  std::array<Place, 4> places_;
  std::atomic<bool> lost_work_{false};
  std::exception_ptr loss_;  // Of whoever set lost_work_.
};

}  // namespace bifold::core
