// A reduction of an array of which elements come one behind the other.
#pragma once

#include <array>
#include <bifold/accumulation/accumulation.hpp>
#include <bifold/op.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scalar.hpp>
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
#include "core/slices/split.hpp"

namespace bifold::core {

/// Elements that are fed, and as many of a second array, if there is one.
struct FedElements {
  ErasedView x;
  std::optional<ErasedView> y{};
};

/// The tree over units as far as it has come: of each level at most one node waits, a left one. All
/// values stay on the device, and a merge is a reduction of two. What is there before a call is not
/// written to, so that a call may end half-way.
class RunningReduction {
 public:
  /// `indexed`: the map makes an Indexed of i, and any association gives the same.
  RunningReduction(Queue queue, const ReduceShape& shape, const std::optional<Value>& init,
                   const AccumulationOptions& options, bool indexed);

  [[nodiscard]] std::uint64_t count();
  [[nodiscard]] Type input() const noexcept { return shape_.input; }
  [[nodiscard]] std::optional<Type> second() const noexcept { return shape_.second; }
  void feed(const FedElements& chunk);
  /// `seconds` are of the second array; null where there is none.
  void feed_host(const void* elements, const void* seconds, std::uint64_t count);
  Value value();
  void value_into(const ErasedView& result);
  std::vector<std::byte> save();
  void resume(std::span<const std::byte> saved);

 private:
  struct Position {
    std::uint64_t n = 0;
    std::uint64_t pairs = 0;  // A bit for each level: in which of two pairs its left node waits.
    unsigned tail = 0;        // Which of two arrays has the elements of the unfinished unit.
    unsigned total = 0;       // Which of three places has the total of all, where there is one.
  };
  struct Memory {
    DeviceArray values;
    std::array<DeviceArray, 2> tails;
    std::array<DeviceArray, 2> second_tails;
  };

  [[nodiscard]] Type result_type() const { return shape_.result.value_or(shape_.accumulator); }
  [[nodiscard]] std::uint64_t unfinished(const Position& at) const { return at.n % unit_; }
  [[nodiscard]] bool waits(const Position& at, std::uint32_t level) const {
    return (at.n / unit_ >> level & 1) != 0;
  }

  void check_count(std::uint64_t more) const;
  void check_second(bool given) const;
  void take(Position& now, FedElements chunk);
  void take_total(Position& now, const FedElements& chunk);
  void append(const Position& now, const FedElements& elements);
  [[nodiscard]] FedElements tail(const Position& now, std::uint64_t count) const;
  void put(Position& now, Node node, const FedElements& elements);
  std::uint64_t place_of(Position& now, const Node& node) const;
  void reduce(const ErasedView& input, const Map& map, const ErasedView& result,
              const std::optional<Value>& init = {}, const std::optional<ErasedView>& second = {},
              const std::vector<Scalar>& scalars = {});
  void reduce_fed(std::uint64_t first, const FedElements& elements, const ErasedView& result,
                  const std::optional<Value>& init = {});
  void enqueue_value(const ErasedView& result);
  [[nodiscard]] std::vector<std::uint64_t> places() const;
  [[nodiscard]] Memory new_memory() const;

  Guard guard_;
  Queue queue_;
  ReduceShape shape_;
  std::optional<Value> init_;
  bool one_total_;  // As any association gives the same.
  std::uint64_t unit_;
  PartMap map_;  // Of elements, wherever a chunk begins.
  Terms terms_{};
  Position position_;
  Memory memory_;
  HostPieces pieces_;
};

}  // namespace bifold::core
