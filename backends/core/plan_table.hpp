// A device's plans, so that only the first call of a shape plans.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

namespace bifold::detail {
class Plan;
}

namespace bifold::core {

/// What tells plans apart. Operators are told apart by their id, then compared in full.
struct PlanKey {
  std::uint64_t operator_id;
  std::uint16_t row;  // Index of the gallery row.
  Type input;
  Type accumulator;
  Type output;
  std::uint8_t kind;  // ScanKind; 0 for a reduction.

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

/// Thread-safe. Two threads may plan the same shape at once; the first to add its plan wins, and
/// their kernels are compiled once either way.
class PlanTable {
 public:
  [[nodiscard]] std::shared_ptr<const detail::Plan> find(const PlanKey& key,
                                                         const Operator& op) const;
  std::shared_ptr<const detail::Plan> add(const PlanKey& key, const Operator& op,
                                          const std::shared_ptr<const detail::Plan>& plan);

 private:
  struct Hash {
    std::size_t operator()(const PlanKey& key) const noexcept {
      const auto types = static_cast<std::uint64_t>(key.input) << 24 |
                         static_cast<std::uint64_t>(key.accumulator) << 16 |
                         static_cast<std::uint64_t>(key.output) << 8 | key.kind;
      return (key.operator_id ^ (types << 16 | key.row)) * 0x9e3779b97f4a7c15U;
    }
  };
  struct Entry {
    Operator op;
    std::shared_ptr<const detail::Plan> plan;
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<PlanKey, Entry, Hash> entries_;
};

}  // namespace bifold::core
