// What reductions and scans over a group do alike: each rank gives values of its slice.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/group/group_call.hpp"
#include "core/slices/elements.hpp"
#include "core/slices/split.hpp"

namespace bifold::core {

/// Throws unsupported for a map that names i.
void refuse_index(const Map& map);

/// Whether memory of one device may be that of the other.
bool same_context(const Device& a, const Device& b);

/// What the ranks of a plan have agreed on, and what the local ones bring to its runs.
struct Agreement {
  std::vector<Elements> shares;  ///< Without memory.
  std::vector<std::uint64_t> counts;
  std::optional<Value> init;
};

class GroupWork {
 public:
  GroupWork(const GroupWork&) = delete;
  GroupWork& operator=(const GroupWork&) = delete;

 protected:
  /// For so many slices, which the derived class adds: those of the local ranks.
  GroupWork(const Group& group, std::size_t slices, const Operator& op, Type accumulator,
            Order order, Numbered numbered);
  ~GroupWork() = default;

  /// Checks a local rank's memory.
  virtual void check(std::size_t local) = 0;
  /// Checks everything else and plans, so that what is wrong is told first.
  virtual Opening prepare(std::size_t local) = 0;
  /// From now on the ranks have so many elements.
  virtual const Split& set_split(const std::vector<std::uint64_t>& counts) = 0;
  /// How many values a rank gives at most.
  [[nodiscard]] virtual std::size_t most_values() const = 0;
  /// Leaves the local ranks' values in values_.
  virtual void compute() = 0;

  [[nodiscard]] std::vector<Queue> queues() const;
  /// What prepare() returns: terms that both kinds of calls have.
  [[nodiscard]] Opening opening_of(std::size_t local, const Map& map, Type output) const;
  /// Reserves memory for what needs_of(local) says of each local rank.
  template <class Needs>
  void reserve(const Needs& needs_of) {
    call_.each([&](std::size_t i) { call_.memory_of(i).need(needs_of(i)); });
    call_.each([&](std::size_t i) { call_.memory_of(i).reserve(); });
  }
  /// Lists init, if there is one, and as many values of each rank as count_of(rank), to be folded.
  template <class CountOf>
  void list_values(const Gathered& all, std::uint32_t ranks, const CountOf& count_of) {
    std::vector<std::byte>& values = records_.fold.values;
    const std::size_t size = size_of(accumulator_);
    values.clear();
    if (init_) values.assign(init_->data(), init_->data() + size);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      values.insert(values.end(), all.of(rank), all.of(rank) + count_of(rank) * size);
    }
  }

  /// Checks and prepares, and tells all ranks the values of each. Of no elements there are none.
  Gathered give();

  /// Prepares for elements whose memory is not known yet, and agrees with all ranks.
  Agreement agree();
  /// Throws what is wrong with a run's elements, on this process alone.
  void check(const Agreement& agreed);
  /// give(), of a run.
  Gathered give(const Agreement& agreed);

  GroupCall call_;
  CallRecords& records_;
  std::vector<Elements>& slices_;
  Order order_;
  Type accumulator_;
  Operator op_;
  bool one_total_;  ///< Of each rank, as any association gives the same.
  std::optional<Value> init_;
  std::vector<std::vector<std::byte>>& values_;  ///< Of the local ranks.

 private:
  void check_share(const Agreement& agreed, std::size_t local);
  bool compute_early(std::vector<Opening>& openings);
};

}  // namespace bifold::core
