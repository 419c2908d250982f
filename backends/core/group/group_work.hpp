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

#include "core/group/fronts.hpp"
#include "core/group/group_call.hpp"
#include "core/group/split.hpp"

namespace bifold::core {

/// Throws unsupported for a map that names i.
void refuse_index(const Map& map);

/// Whether memory of one device may be that of the other.
bool same_context(const Device& a, const Device& b);

/// The values of all ranks, as many bytes of each, in the order of ranks.
struct Given {
  Split split;
  std::vector<std::byte> values;
};

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
  /// `slices` are those of the local ranks.
  GroupWork(const Group& group, std::vector<Elements> slices, const Operator& op, Type accumulator,
            Order order, Numbered numbered);
  ~GroupWork() = default;

  /// Checks a local rank's memory.
  virtual void check(std::size_t local) = 0;
  /// Checks everything else and plans, so that what is wrong is told first.
  virtual Opening prepare(std::size_t local) = 0;
  [[nodiscard]] virtual Split split_of(const std::vector<std::uint64_t>& counts) const = 0;
  /// How many values a rank gives at most.
  [[nodiscard]] virtual std::size_t most_values(const Split& split) const = 0;
  /// Leaves the local ranks' values in values_.
  virtual void compute(const Split& split) = 0;

  [[nodiscard]] std::vector<Queue> queues() const;
  /// What prepare() returns: terms that both kinds of calls have.
  [[nodiscard]] Opening opening_of(std::size_t local, const Map& map, Type output) const;
  /// Checks and prepares, and tells all ranks the values of each.
  Given give();

  /// Prepares for elements whose memory is not known yet, and agrees with all ranks.
  Agreement agree();
  /// Throws what is wrong with a run's elements, on this process alone.
  void check(const Agreement& agreed);
  /// give(), of a run.
  Given give(const Agreement& agreed);

  GroupCall call_;
  std::vector<Elements> slices_;
  Order order_;
  Type accumulator_;
  Operator op_;
  bool one_total_;  ///< Of each rank, as any association gives the same.
  std::optional<Value> init_;
  std::vector<std::vector<std::byte>> values_;  ///< Of the local ranks.

 private:
  void check_share(const Agreement& agreed, std::size_t local);
  bool compute_early(std::vector<Opening>& openings);

  std::vector<std::uint64_t> early_counts_;
};

}  // namespace bifold::core
