// Tuning values: what may change daily without changing a result's meaning.
#pragma once

#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <bifold/gallery.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bifold::core {

/// The values of one kernel family. A family lacks those that are empty. `parameters` of
/// core/tuning/parameters.hpp knows their names, and which of them kernels are told.
struct Tuning {
  /// A value, or none.
  class Value {
   public:
    constexpr Value() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a number is a value.
    constexpr Value(std::uint32_t value) : value_(value) {}

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return value_.has_value(); }
    /// Throws invalid_argument where there is none.
    [[nodiscard]] std::uint32_t value() const {
      if (value_) return *value_;
      throw Error(ErrorCategory::invalid_argument, "the tuning lacks a value of its variant");
    }
    [[nodiscard]] std::uint32_t operator*() const { return value(); }
    [[nodiscard]] constexpr std::uint32_t value_or(std::uint32_t other) const noexcept {
      return value_.value_or(other);
    }

    friend bool operator==(const Value&, const Value&) = default;

   private:
    std::optional<std::uint32_t> value_;
  };

  /// The input, in MiB, from which production takes a variant instead of the next one in its list.
  Value at_least_mib{};
  Value group_size{};  ///< Work-items of a group.
  Value unroll{};      ///< Loads in flight: of elements, or of a leaf's rows of 16-byte vectors.
  Value rows{};        ///< Rows of a tile.
  Value per_item{};    ///< Elements that a work-item takes in one step.
  Value coarse_factor{};
  Value coalesced{};     ///< Whether consecutive work-items take consecutive elements.
  Value stripes{};       ///< Independent accumulators of a work-item on a CPU.
  Value vector_bytes{};  ///< Bytes of a load or store.
  Value groups{};        ///< Groups at once, whatever the device.
  Value groups_per_unit{};
  Value drawn_tiles{};    ///< Tiles that a work-item on a CPU draws at once.
  Value loads_of_tile{};  ///< 2: elements of a tile in order v1 are loaded again, not kept.
  /// Input and output together, in KiB, from which a CPU stores results past its caches.
  Value past_caches_from_kib{};

  // Inputs, in MiB, between which a reduction in order v1 takes another kernel: the one with few
  // groups, the one with large groups, and the one that keeps half of the input in the cache.
  Value small_group{};  ///< Work-items of a group for all but large inputs.
  Value low_occupancy_max_mib{};
  Value large_from_mib{};
  Value half_kept_from_mib{};
  Value half_kept_bytes_from_mib{};  ///< The same of 1-byte elements.
  Value half_kept_to_mib{};

  // Of the ring.
  Value stages{};    ///< Tiles in local memory.
  Value reducing{};  ///< Warps that reduce.
  Value l2_evict_first_min_mib{};
  Value l2_evict_first_max_mib{};
  Value lookback_distance_tiles{};
  Value lookback_distance_groups{};
  Value group_polls{};

  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// What a device has of its last cache, in bytes; 0 when unknown. A virtual machine is told of all
/// of a cache that others share: a CPU has no more than 16 MiB for each of its hardware threads.
std::uint64_t own_cache_bytes(DeviceKind kind, const Capabilities& capabilities);

/// The built-in values for `variant`, with those that its row has `fixed`, on a device of these
/// capabilities and the class of its architecture, for elements that occupy `element_bytes` at the
/// widest of input, accumulator and output.
Tuning default_tuning(const gallery::Variant& variant, const Tuning& fixed, DeviceKind kind,
                      const Capabilities& capabilities, std::size_t element_bytes);

/// Throws invalid_argument where the tuning lacks a value that the variant has on such devices.
void require_values(const Tuning& tuning, const gallery::Variant& variant, const Tuning& fixed,
                    DeviceKind kind);

}  // namespace bifold::core
