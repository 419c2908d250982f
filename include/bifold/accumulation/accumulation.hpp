/// @file
/// Reductions and scans of arrays that come in chunks: from a file, a network, or host memory
/// larger than the device's. In order v1 the bits are those of one call on the whole array,
/// whatever the chunks. docs/distributed.md says how a saved state is laid out.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/error.hpp>
#include <bifold/export.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace bifold {

/// @addtogroup accumulations
/// @{

namespace detail {
struct ReduceAccumulationState;
struct ScanAccumulationState;
}  // namespace detail

/// Everything about making an accumulation that has a default.
struct AccumulationOptions {
  /// Elements in host memory are copied to the device in pieces of up to so many bytes, or of one
  /// element; several pieces by threads that end with the call. The device holds four pieces, and
  /// four of a scan's outputs.
  std::uint64_t piece_bytes = std::uint64_t{1} << 25;
};

/// A reduction that is fed its array in chunks, one behind the other. A value handle: copies are
/// the same accumulation, and one that was moved from is refused with invalid_argument.
/// Thread-safe: calls take turns. A call that fails leaves it as it was. But once waiting for the
/// queue's work has failed, here or elsewhere, but for a lack of host memory, calls other than
/// resume() throw that again.
/// While the queue's work is captured in a graph, all calls are unsupported.
class BIFOLD_API_CLASS ReduceAccumulation {
 public:
  /// Of nothing so far. May compile. A map may name i, the index in the whole array, and y, an
  /// element of a second array that is fed beside. Throws as ReducePlan's constructor, unsupported
  /// for a result map and scalars, and invalid_argument for a variant other than "production",
  /// lines, segments, keys, values in device memory, and an init that the accumulator's type does
  /// not hold exactly.
  ReduceAccumulation(const Queue& queue, const ReduceShape& shape,
                     const std::optional<Value>& init = {},
                     const AccumulationOptions& options = {});
  /// The least element and its index in the whole array: argmin().
  static ReduceAccumulation argmin(const Queue& queue, Type element,
                                   const AccumulationOptions& options = {});
  /// The greatest element and its index in the whole array: argmax().
  static ReduceAccumulation argmax(const Queue& queue, Type element,
                                   const AccumulationOptions& options = {});

  /// How many elements it has been fed.
  [[nodiscard]] std::uint64_t count() const;

  /// Enqueues the next elements, of any number. Blocks for shared virtual memory on an OpenCL
  /// device, whose unfinished unit is copied over the host. Throws invalid_argument for another
  /// type or device, and for more elements in all than 64 bits count.
  void feed(const ErasedView& chunk);
  /// The same of a typed range.
  template <device_range R>
  void feed(R&& chunk) {
    feed(erase(chunk));
  }
  /// The same with as many elements of the second array, where the shape has one.
  void feed(const ErasedView& chunk, const ErasedView& second);
  /// The same of typed ranges.
  template <device_range R, device_range S>
  void feed(R&& chunk, S&& second) {
    feed(erase(chunk), erase(second));
  }
  /// Blocks until the host memory has been read. The next elements, of the shape's input type. The
  /// memory is used at once, not behind the queue's work. Copies overlap with the work, at full
  /// speed from page-locked memory. When it throws, the memory is as upload_bytes() says.
  void feed_bytes(const void* elements, std::uint64_t count);
  /// The same with as many elements of the second array.
  void feed_bytes(const void* elements, const void* seconds, std::uint64_t count);
  /// The same of elements whose type is known. Throws invalid_argument for another one.
  template <class T, std::size_t Extent>
    requires element<T>
  void feed(std::span<T, Extent> chunk) {
    check_input(type_of<T>());
    feed_bytes(chunk.data(), chunk.size());
  }
  /// The same with as many elements of the second array.
  template <class T, std::size_t Extent, class S, std::size_t SecondExtent>
    requires element<T> && element<S>
  void feed(std::span<T, Extent> chunk, std::span<S, SecondExtent> second) {
    check_inputs(type_of<T>(), type_of<S>(), chunk.size(), second.size());
    feed_bytes(chunk.data(), second.data(), chunk.size());
  }

  /// Blocks, and returns op(init, reduction so far) in the shape's result type. What it is of no
  /// elements, ReducePlan::run says. The accumulation goes on.
  [[nodiscard]] Value value();
  /// Enqueues the same into one element.
  void value_into(const ErasedView& result);

  /// Blocks, and returns what it takes to go on with resume(), on any device of any machine.
  [[nodiscard]] std::vector<std::byte> save();
  /// Blocks, and goes on where save() was called, whatever was fed so far. Throws invalid_argument,
  /// with nothing changed, for bytes that are not whole, or of other terms than this
  /// accumulation's.
  void resume(std::span<const std::byte> saved);

 private:
  explicit ReduceAccumulation(std::shared_ptr<detail::ReduceAccumulationState> state);
  [[nodiscard]] detail::ReduceAccumulationState& state() const;
  void check_input(Type type) const;
  void check_inputs(Type type, Type second, std::uint64_t count, std::uint64_t seconds) const;

  std::shared_ptr<detail::ReduceAccumulationState> state_;
};

/// A scan that is fed its array in chunks, one behind the other, and leaves each chunk's outputs.
/// Otherwise as ReduceAccumulation. What outputs of a failed call have been written is not said.
class BIFOLD_API_CLASS ScanAccumulation {
 public:
  /// Of nothing so far. May compile. A map may name i, the index in the whole array. Throws as
  /// ScanPlan's constructor, unsupported for a result map and scalars, and invalid_argument for a
  /// variant other than "production", lines, a scan in reverse, values in device memory, and an
  /// init that the accumulator's type does not hold exactly.
  ScanAccumulation(const Queue& queue, const ScanShape& shape,
                   const std::optional<Value>& init = {}, const AccumulationOptions& options = {});

  /// How many elements it has been fed.
  [[nodiscard]] std::uint64_t count() const;

  /// Enqueues the scan of the next elements, of any number, into as many outputs, in place too.
  /// Throws invalid_argument for other types, counts or devices, other overlap, and more elements
  /// in all than 64 bits count.
  void feed(const ErasedView& chunk, const ErasedView& output);
  /// The same of typed ranges.
  template <device_range R, writable_range Out>
  void feed(R&& chunk, Out&& output) {
    feed(erase(chunk), erase(output));
  }
  /// Blocks until the outputs have arrived in host memory, which may be that of the elements. Types
  /// are the shape's. The memory is used at once, not behind the queue's work. Copies in both
  /// directions overlap with each other and with the work, at full speed in page-locked memory.
  /// When it throws, the memory is as download_bytes() says. Throws invalid_argument where elements
  /// and outputs overlap otherwise.
  void feed_bytes(const void* elements, void* outputs, std::uint64_t count);
  /// The same of elements whose types are known. Throws invalid_argument for other ones.
  template <class T, std::size_t Extent, element Out, std::size_t OutExtent>
    requires element<T>
  void feed(std::span<T, Extent> chunk, std::span<Out, OutExtent> outputs) {
    check_types(type_of<T>(), type_of<Out>(), chunk.size(), outputs.size());
    feed_bytes(chunk.data(), outputs.data(), chunk.size());
  }

  /// Blocks, and returns op(init, all elements so far) in the accumulator's type. Of none, init or
  /// Operator::of_nothing(), which throws where there is no identity.
  [[nodiscard]] Value total();

  /// As ReduceAccumulation::save().
  [[nodiscard]] std::vector<std::byte> save();
  /// As ReduceAccumulation::resume().
  void resume(std::span<const std::byte> saved);

 private:
  [[nodiscard]] detail::ScanAccumulationState& state() const;
  void check_types(Type input, Type output, std::uint64_t inputs, std::uint64_t outputs) const;

  std::shared_ptr<detail::ScanAccumulationState> state_;
};

/// @}

}  // namespace bifold
