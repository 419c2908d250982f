/// @file
/// Queues: in-order device work.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bifold {

/// @addtogroup memory
/// @{

namespace detail {
struct QueueState;
// Whether a transfer of the queue failed so that host memory may still be in use by it.
BIFOLD_API bool transfer_pending(const QueueState& queue) noexcept;
}  // namespace detail

/// Whether a queue's events tell device time.
enum class Timing : std::uint8_t {
  disabled,  ///< They do not, and cost less.
  enabled,   ///< elapsed() works on them.
};

/// Everything about making a queue that has a default.
struct QueueOptions {
  Timing timing = Timing::disabled;  ///< Whether elapsed() works on its events.
};

/// In-order work on a device: what is enqueued first is done first. A value handle; copies are the
/// same queue, and one that was moved from is refused with invalid_argument. Thread-safe: one
/// call's commands enter the device queue together. While one thread is in a call that blocks,
/// other threads' calls on the same queue wait for it; an event of record() can be waited for
/// without holding them up, and with a time limit. The queue owns scratch memory that grows to what
/// its calls needed; outgrown memory is freed by the next call that blocks. Releasing the last
/// handle may wait for work that uses it.
class BIFOLD_API_CLASS Queue {
 public:
  /// A new queue of the device. Throws the driver's failure when it makes none.
  explicit Queue(const Device& device, const QueueOptions& options = {});

  /// The device that it works on.
  [[nodiscard]] const Device& device() const&;
  /// The same, of a handle that ends with the statement.
  [[nodiscard]] Device device() const&&;

  /// Blocks until everything enqueued so far is done. Throws timeout past `limit`, and the failure
  /// of work that was dropped.
  void finish(TimeLimit limit = {});

  /// Blocks until everything enqueued so far is done, then frees the scratch memory that the queue
  /// keeps between calls. The next call that needs scratch allocates it again.
  void trim();

  /// An event that completes when everything enqueued so far is done.
  [[nodiscard]] Event record();

  /// What is enqueued from now on starts after `events`, which may come from other queues of the
  /// same backend; other events are invalid_argument.
  void wait_for(std::span<const Event> events);

  /// Uninitialised memory for `count` elements. Throws as Buffer's constructor.
  template <element T>
  [[nodiscard]] Buffer<T> allocate(std::uint64_t count) {
    return Buffer<T>(device(), count);
  }

  /// Blocks until the host memory has been read. A new buffer with a copy of `host`.
  template <class T, std::size_t Extent>
    requires element<T>
  [[nodiscard]] Buffer<std::remove_const_t<T>> upload(std::span<T, Extent> host) {
    Buffer<std::remove_const_t<T>> buffer(device(), host.size());
    upload_bytes(erase(buffer), host.data(), host.size());
    return buffer;
  }

  /// Blocks until the host memory has been read. `to` must have as many elements as `host`.
  template <writable_range R>
  void upload(std::span<const range_value_t<R>> host, R&& to) {
    upload_bytes(erase(to), host.data(), host.size());
  }

  /// Blocks until the elements have arrived. The view's elements as a vector.
  template <device_range R>
  [[nodiscard]] std::vector<range_value_t<R>> download(R&& from) {
    using Host = std::vector<range_value_t<R>>;
    const auto view = erase(from);
    auto host = detail::guarded([&] { return std::make_unique<Host>(view.count); });
    try {
      download_bytes(view, host->data(), host->size());
    } catch (...) {
      // Memory that the device may still write to is not given to others.
      if (state_ && detail::transfer_pending(*state_)) static_cast<void>(host.release());
      throw;
    }
    return std::move(*host);
  }

  /// Blocks until the elements have arrived. `host` must have as many elements as `from`.
  template <device_range R>
  void download(R&& from, std::span<range_value_t<R>> host) {
    download_bytes(erase(from), host.data(), host.size());
  }

  /// Copies elements on the device; both ranges must have the same type and count, and must not
  /// overlap.
  template <device_range From, writable_range To>
    requires std::same_as<range_value_t<From>, range_value_t<To>>
  void copy(From&& from, To&& to) {
    copy(erase(from), erase(to));
  }
  /// The same for types known at run time. Throws invalid_argument, before anything is enqueued,
  /// where the types or counts differ, the ranges overlap, or one is not of this device.
  void copy(const ErasedView& from, const ErasedView& to);

  /// Sets every element to `value`.
  template <writable_range R>
  void fill(R&& range, std::type_identity_t<range_value_t<R>> value) {
    fill(erase(range), Value(value));
  }
  /// The same for a type known at run time. Throws invalid_argument, before anything is enqueued,
  /// for a value of another type, or a range that is not of this device or cannot be written.
  void fill(const ErasedView& view, const Value& value);

  /// Blocks until the host memory has been read: upload() of `count` elements whose type is known
  /// at run time. Throws invalid_argument unless `count` is the view's. When it throws, the memory
  /// is no longer in use, unless the driver cannot tell that any more, which is logged as an error.
  void upload_bytes(const ErasedView& to, const void* host, std::uint64_t count);
  /// Blocks until the elements have arrived: download() of `count` elements whose type is known at
  /// run time. Throws invalid_argument unless `count` is the view's. When it throws, the memory is
  /// no longer in use, with the exception that upload_bytes() has.
  void download_bytes(const ErasedView& from, void* host, std::uint64_t count);

  /// @cond internal
  // A handle on a state made otherwise, and the state behind the handle, as Device::state().
  explicit Queue(std::shared_ptr<detail::QueueState> state) : state_(std::move(state)) {}
  [[nodiscard]] detail::QueueState& state() const;
  /// @endcond

 private:
  std::shared_ptr<detail::QueueState> state_;
};

/// @}

}  // namespace bifold
