// A device's plans, so that only the first call of a shape and about that size plans.
#pragma once

#include <array>
#include <atomic>
#include <bifold/buffer.hpp>
#include <bifold/device_values.hpp>
#include <bifold/map.hpp>
#include <bifold/order.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "core/base/sizes.hpp"
#include "core/shape/plan_shape.hpp"

namespace bifold::detail {
class Plan;
}

namespace bifold::core {

/// What tells the keys of plans apart.
struct PlanKeyTypes {
  Type keys;
  Type unique;
  Type runs;
  std::uint64_t equality_id;

  friend bool operator==(const PlanKeyTypes&, const PlanKeyTypes&) = default;
};

/// What tells plans apart. Operators and maps are told apart by their ids, then compared in full.
struct PlanKey {
  std::uint64_t operator_id;
  std::uint64_t map_id;
  std::uint16_t row;  // Index of the gallery row.
  Type input;
  Type accumulator;
  Type output;
  ScanKind kind;  // Inclusive for a reduction.
  DeviceValues on_device;
  Order order;
  std::optional<Type> second;
  LineLayout lines;
  bool reverse;
  std::uint64_t result_map_id;
  std::array<Type, max_outputs - 1> more_outputs{};  // Those behind the last are all the same.
  std::uint64_t more_outputs_id = 0;                 // Of their number and their result maps.
  std::array<Type, max_inputs - 2> more_inputs{};    // The same of arrays behind the second one.
  std::size_t more_input_count = 0;
  std::optional<Selection> selection{};
  std::optional<SegmentShape> segments{};
  std::optional<PlanKeyTypes> keys{};

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

/// Thread-safe. Two threads may plan the same shape at once; the first to add its plan wins, and
/// their kernels are compiled once either way.
class PlanTable {
 public:
  /// A plan that serves the sizes of the shape.
  [[nodiscard]] std::shared_ptr<const detail::Plan> find(const PlanKey& key,
                                                         const PlanShape& shape) const;
  /// What is known by now for the plan's shape: that plan, or one of the same.
  std::shared_ptr<const detail::Plan> add(const PlanKey& key,
                                          const std::shared_ptr<const detail::Plan>& plan);
  /// Takes out a few that may go, that nobody has in hand and whose kernels have ended, the least
  /// recently used ones.
  [[nodiscard]] std::vector<std::shared_ptr<const detail::Plan>> take_least_used();

 private:
  struct Hash {
    std::size_t operator()(const PlanKey& key) const noexcept {
      // Structs of one size share a bucket with few others: equality tells them apart.
      const auto word = [](Type type) {
        return type.is_struct() ? 16 + size_of(type) : std::size_t{type.kind()};
      };
      const std::uint64_t types = word(key.input) << 32 | word(key.accumulator) << 24 |
                                  word(key.output) << 16 | static_cast<std::uint64_t>(key.kind);
      const std::uint64_t on_device = (key.on_device.count ? word(*key.on_device.count) : 0) << 2 |
                                      std::uint64_t{key.on_device.init} << 1 |
                                      std::uint64_t{key.on_device.total};
      const std::uint64_t places =
          static_cast<std::uint64_t>(key.lines) << 1 | std::uint64_t{key.reverse};
      const std::uint64_t data =
          (key.second ? word(*key.second) + 1 : 0) << 1 | static_cast<std::uint64_t>(key.order);
      return (key.operator_id ^ data << 40 ^ key.map_id * 31 ^ key.result_map_id * 37 ^
              key.more_outputs_id * 41 ^ std::uint64_t{key.more_input_count} << 3 ^
              (types << 16 | key.row) ^ on_device << 56 ^ places << 52) *
             0x9e3779b97f4a7c15U;
    }
  };
  struct Entry {
    Sizes sizes;
    std::shared_ptr<const detail::Plan> plan;
  };
  using Entries = std::vector<Entry>;
  [[nodiscard]] static const Entry* serving(const Entries& entries, const PlanShape& shape);

  mutable std::atomic<std::uint64_t> clock_{0};
  mutable std::shared_mutex mutex_;
  std::unordered_map<PlanKey, Entries, Hash> plans_;
};

}  // namespace bifold::core
