// A scan of an array of which elements come one behind the other.
#pragma once

#include <array>
#include <bifold/accumulation/accumulation.hpp>
#include <bifold/queue.hpp>
#include <bifold/scan.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/accumulation/guard.hpp"
#include "core/accumulation/host_pieces.hpp"
#include "core/accumulation/saved_state.hpp"
#include "core/operators/map.hpp"
#include "core/slices/device_array.hpp"

namespace bifold::core {

/// Whole groups of tiles are scanned from the fold of all groups before, the carry, and leave the
/// next one as their total. An unfinished group's elements are kept, and scanned again with what
/// follows. What is there before a call is not written to, so that a call may end half-way.
class RunningScan {
 public:
  RunningScan(Queue queue, const ScanShape& shape, const std::optional<Value>& init,
              const AccumulationOptions& options);

  [[nodiscard]] std::uint64_t count();
  [[nodiscard]] const ScanShape& shape() const noexcept { return shape_; }
  void feed(const ErasedView& chunk, const ErasedView& output);
  void feed_host(const void* elements, void* outputs, std::uint64_t count);
  Value total();
  std::vector<std::byte> save();
  void resume(std::span<const std::byte> saved);

 private:
  struct Position {
    std::uint64_t n = 0;
    std::optional<unsigned> carry{};  // Which of three places has it.
    unsigned tail = 0;                // Which of two arrays has the unfinished group's elements.
  };
  struct Memory {
    DeviceArray carries;
    std::array<DeviceArray, 2> tails;
  };

  [[nodiscard]] std::uint64_t unfinished(const Position& at) const {
    return one_total_ ? 0 : at.n % unit_;
  }
  // Of the initial value or of all groups so far, if there is something.
  [[nodiscard]] bool carries_value(std::uint64_t n) const {
    return init_ || (one_total_ ? n > 0 : n >= unit_);
  }
  [[nodiscard]] bool from_nothing(const Position& at) const {
    return !at.carry && !gives_of_nothing_;
  }
  [[nodiscard]] unsigned free_place(const Position& now) const;

  void check(const ErasedView& chunk, const ErasedView& output);
  void check_count(std::uint64_t more) const;
  void take(Position& now, ErasedView chunk, ErasedView output);
  [[nodiscard]] const DeviceArray& tail(unsigned which);
  void append(const Position& now, const ErasedView& elements);
  unsigned scan(const Position& now, const ErasedView& input, const ErasedView& output);
  [[nodiscard]] Memory new_memory();

  Guard guard_;
  Queue queue_;
  ScanShape shape_;
  std::optional<Value> init_;
  bool one_total_;  // As any association gives the same.
  bool gives_of_nothing_;
  std::uint64_t unit_;
  PartMap map_;  // Of elements, wherever a chunk begins.
  Terms terms_{};
  Position position_;
  Memory memory_;
  DeviceArray outputs_;  // Of an unfinished group.
  HostPieces pieces_;
};

}  // namespace bifold::core
