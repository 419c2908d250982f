// Which rank has which elements and units of an array that is split over a group.
#pragma once

#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <vector>

namespace bifold::core {

/// Units of order v1: leaves or tiles of a reduction, groups of tiles of a scan.
std::uint64_t unit_of_reduction(const Operator& op, Type accumulator, Order order);
std::uint64_t unit_of_scan(const Operator& op, Type accumulator, Order order);

/// Elements or units from `begin` up to `end`.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A node of the tree over units: units [index << level, (index + 1) << level) that exist.
struct Node {
  std::uint32_t level;
  std::uint64_t index;

  friend bool operator==(const Node&, const Node&) = default;
};

/// Elements, by their index in the whole array, that go from a rank to a later one.
struct Border {
  std::uint32_t from;
  std::uint32_t to;
  Interval elements;

  friend bool operator==(const Border&, const Border&) = default;
};

/// Who gets the elements in front of its own that share a unit with its first one.
enum class Fronts : std::uint8_t {
  of_units,     ///< A rank that has the last element of that unit: a reduction.
  of_elements,  ///< Every rank that has elements: a scan.
};

/// Slices of `counts` elements in the order of ranks, of an array in units of `unit` elements. A
/// unit belongs to the rank with its last element.
class Split {
 public:
  /// Throws invalid_argument for more elements than 64 bits count.
  Split(const std::vector<std::uint64_t>& counts, std::uint64_t unit, Fronts fronts);

  [[nodiscard]] std::uint32_t ranks() const noexcept;
  [[nodiscard]] std::uint64_t n() const noexcept { return offsets_.back(); }
  [[nodiscard]] Interval elements(std::uint32_t rank) const;
  /// Whether a later rank has elements.
  [[nodiscard]] bool is_last(std::uint32_t rank) const noexcept {
    return elements(rank).end == n();
  }

  /// Whole units of the rank, and the short last one with `n()`.
  [[nodiscard]] Interval units(std::uint32_t rank) const;
  /// Whole ones alone.
  [[nodiscard]] Interval whole_units(std::uint32_t rank) const;
  /// How many elements the rank gets from the ranks in front of it.
  [[nodiscard]] std::uint64_t front(std::uint32_t rank) const;
  /// The elements of the rank up to the end of its first unit, where others have the front of it.
  [[nodiscard]] Interval head(std::uint32_t rank) const;

  /// All that has to travel, in the order of receivers, then of senders.
  [[nodiscard]] const std::vector<Border>& borders() const noexcept { return borders_; }

  /// Nodes that make up the units of a rank, in order; the first one alone where it has a front.
  [[nodiscard]] std::vector<Node> nodes(std::uint32_t rank) const;
  [[nodiscard]] Interval elements(const Node& node) const;

 private:
  std::vector<std::uint64_t> offsets_;
  std::uint64_t unit_;
  Fronts fronts_;
  std::vector<Border> borders_;
};

/// How often the last two values become one behind each node of a list, whose last value then is
/// the tree's: siblings become their parent, and at the end the list is folded from the right.
std::vector<std::uint32_t> merges(const std::vector<Node>& nodes);

/// Offsets of even slices that begin with units.
std::vector<std::uint64_t> even_offsets(std::uint64_t n, std::uint32_t ranks, std::uint64_t unit);

}  // namespace bifold::core
