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

/// The values of all ranks, as many bytes of each, in the order of ranks.
struct Given {
  Split split;
  std::vector<std::byte> values;
};

class GroupWork {
 public:
  GroupWork(const GroupWork&) = delete;
  GroupWork& operator=(const GroupWork&) = delete;

 protected:
  /// `slices` are those of the local ranks.
  GroupWork(const Group& group, std::vector<Elements> slices, const Operator& op, Type accumulator,
            Order order);
  ~GroupWork() = default;

  /// Checks a local rank's arguments and plans, so that what is wrong with them is told first.
  virtual Opening prepare(std::size_t local) = 0;
  [[nodiscard]] virtual Split split_of(const std::vector<std::uint64_t>& counts) const = 0;
  /// How many values a rank gives at most.
  [[nodiscard]] virtual std::size_t most_values(const Split& split) const = 0;
  /// Leaves the local ranks' values in values_.
  virtual void compute(const Split& split) = 0;

  /// What prepare() returns: terms that both kinds of calls have.
  [[nodiscard]] Opening opening_of(std::size_t local, const Map& map, Type output) const;
  /// Prepares, and tells all ranks the values of each.
  Given give();

  GroupCall call_;
  std::vector<Elements> slices_;
  Order order_;
  Type accumulator_;
  Operator op_;
  bool one_total_;  ///< Of each rank, as any association gives the same.
  std::optional<Value> init_;
  std::vector<std::vector<std::byte>> values_;  ///< Of the local ranks.

 private:
  bool compute_early(std::vector<Opening>& openings);

  std::vector<std::uint64_t> early_counts_;
};

}  // namespace bifold::core
