// The leaves of reductions in order v1: how they are shared out, and the kernels over them.
#pragma once

#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <cstdint>

#include "core/plan/planning.hpp"

namespace bifold::core {

/// Nodes that a work-item of a last group combines in a turn.
inline constexpr std::uint32_t nodes_per_item = 16;

/// How the leaves of an input are shared out: a node is a subtree of a power of two of them.
struct Subtrees {
  std::uint64_t leaf;      ///< Elements of a leaf.
  std::uint64_t at_least;  ///< Leaves of a node; more where there would be too many nodes.
  std::uint64_t most_nodes;
  std::uint64_t most_groups;               ///< That share the nodes out.
  std::uint64_t most_leaves = no_limit;    ///< Of a node; a power of two.
  std::uint64_t most_each = no_limit;      ///< Nodes of one group.
  std::uint64_t most_combined = no_limit;  ///< Nodes, as many as one group combines.

  [[nodiscard]] std::uint64_t leaves_per_node(std::uint64_t n) const noexcept {
    const std::uint64_t wanted = divide_up(divide_up(n, leaf), most_nodes);
    return std::min(std::max(at_least, std::bit_ceil(wanted)), most_leaves);
  }
  [[nodiscard]] std::uint64_t elements_per_node(std::uint64_t n) const noexcept {
    return leaves_per_node(n) * leaf;
  }
  [[nodiscard]] std::uint64_t nodes(std::uint64_t n) const noexcept {
    return std::max<std::uint64_t>(divide_up(divide_up(n, leaf), leaves_per_node(n)), 1);
  }
  /// Of every smaller input too: the nodes of one may be fewer than those of a smaller one.
  [[nodiscard]] std::uint64_t nodes_up_to(std::uint64_t n) const noexcept {
    const std::uint64_t leaves = divide_up(n, leaf);
    return std::max(std::min(most_nodes, divide_up(leaves, at_least)),
                    divide_up(leaves, most_leaves));
  }
  [[nodiscard]] std::uint64_t groups(std::uint64_t n) const noexcept {
    return groups_of(nodes(n), most_groups, most_each);
  }
  [[nodiscard]] std::uint64_t most_elements() const noexcept {
    const std::uint64_t each = most_nodes > most_combined ? at_least : most_leaves;
    return at_most(at_most(most_combined, each), leaf);
  }
};

/// What a group of `group` work-items takes, whatever n: `leaves_each` for every lane group.
Subtrees subtrees_of(std::uint32_t columns, std::uint32_t group, std::uint32_t leaves_each = 1);

/// Leaves of one work-item each, shared out to as many as the device is given.
Subtrees chunks_of(const Device& device, const PlanShape& shape, const Tuning& tuning);

/// The tiles of a scan as leaves, shared out to at most `groups` groups.
Subtrees tiles_of(const Device& device, const PlanShape& shape, std::uint64_t groups);

/// The same where a group of `group` work-items combines the nodes.
Subtrees combined_by(const Device& device, std::uint32_t group, Subtrees subtrees);

/// The tuning with whole leaves for a group, each of which takes 32 work-items.
Tuning with_whole_leaves(Tuning tuning);

/// Columns of a leaf whose rows are of 32 of the widest loads: where no order shows.
std::uint32_t widest_columns(const PlanShape& shape);

/// Whether the words that a reduction combines at once hold bytes, of which some kernels take other
/// lengths than of all else.
bool combines_bytes(const Request& request);

/// Whether short inputs have a kernel of their own, of the reduction in one launch.
bool has_quick_leaves(const Request& request);

/// Whether a work-item takes its part of a row by one of the widest loads, and whether it takes
/// more than that.
bool loads_widest(const PlanShape& shape, std::uint32_t columns);
bool loads_several(const PlanShape& shape, std::uint32_t columns);

/// What kernels over leaves are told of these, and of how their rows are loaded.
void add_leaf_constants(const Request& request, std::uint32_t columns, std::uint32_t rows,
                        const Tuning::Value& unroll, KernelSpec& spec);

/// The kernel over leaves of so many columns and rows; it loads as a vector what columns a
/// work-item adds, where these make one. The `unroll` of the tuning is in rows of the widest loads:
/// the kernel's own rows at once, ROWS_AT_ONCE, are as many as have the bytes of those, or half as
/// many again.
PlannedKernel build_leaves(const Request& request, const Row& row, const Tuning& tuning,
                           std::uint32_t columns, const Defines& defines = {},
                           std::uint32_t rows = order_v1::leaf_rows);

/// The same over leaves of one work-item each, as chunks_of() shares them out.
PlannedKernel build_chunk_leaves(const Request& request, const Row& row, const Tuning& tuning);

}  // namespace bifold::core
