// Comparison on the device: for data that is too large, or compared too often, to be downloaded.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <memory>

namespace bifold::core {

/// Counts differing elements over any number of comparisons. All calls go to one queue.
class Comparison {
 public:
  /// Of ranges whose elements have the width of `type`. Compiles.
  Comparison(const Queue& queue, Type type);

  /// Compiles what comparisons of that type run, and keeps it with the device.
  static void warm(const Device& device, Type type);

  /// Enqueues counting the elements in which the ranges differ, bit for bit.
  void add(const ErasedView& left, const ErasedView& right);
  /// Blocks. Differing elements in all comparisons since the last call.
  [[nodiscard]] std::uint64_t take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace bifold::core
