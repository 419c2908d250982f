/// @file
/// The gallery: every kernel variant by name, with what it needs and what it moves.
#pragma once

#include <bifold/device.hpp>
#include <bifold/export.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bifold {

/// @addtogroup gallery
/// @{

/// What a variant computes.
enum class Algorithm : std::uint8_t {
  reduce,  ///< A reduction.
  scan,    ///< A scan, inclusive or exclusive.
  select,  ///< A selection: what is flagged, one behind the other.
};

/// "reduce", "scan" or "select".
BIFOLD_API std::string_view name_of(Algorithm algorithm) noexcept;

/// @}

namespace gallery {

/// @addtogroup gallery
/// @{

/// How far a floating-point result is fixed.
enum class Order : std::uint8_t {
  v1,         ///< Order v1: the same bits on every device, whatever the launch shape.
  fixed,      ///< The same bits for the same input, alignment and launch shape.
  unordered,  ///< The association may differ from run to run.
};

/// "v1", "fixed" or "unordered".
BIFOLD_API std::string_view name_of(Order order) noexcept;

/// What a variant asks of a device or an operator.
struct Requirements {
  bool commutative = false;      ///< The operator may be applied out of index order.
  bool published_words = false;  ///< 64-bit words that other work-groups see while both run.
  bool counted_groups = false;   ///< 64-bit atomics and fences by which groups count who finishes.
  bool atomic_accumulator = false;  ///< Atomic updates of one accumulator, of at most 8 bytes.
  std::uint64_t ring_bytes = 0;     ///< Local memory that bulk copies fill, for elements of 4, 8 or
                                    ///< 16 bytes that accumulators of the same size take.
  bool vectors = false;        ///< Elements, accumulators and results of one type, without a map:
                               ///< integers by built-in operators other than the logical ones,
                               ///< or sums and products of floating values.
  std::string_view backend{};  ///< Only this backend has the kernels; empty: every backend.
  bool gpu = false;            ///< A GPU, as its groups meet where compilers for CPUs fail.
};

/// One row of the gallery: immutable, lives as long as the program.
struct Variant {
  Algorithm algorithm;        ///< What it computes.
  std::string_view name;      ///< Unique within the algorithm; what `variant` options take.
  std::string_view family;    ///< Base name of its kernel file in both kernel folders.
  std::string_view summary;   ///< The idea in a line.
  std::string_view source;    ///< Paper and section, or "bifold".
  Requirements requirements;  ///< What it asks of a device or an operator.
  Order order;                ///< How far a floating-point result is fixed.
  double reads;               ///< Times each input element is read from global memory,
                              ///< where a cache does not have it from before.
  double writes;              ///< Times each output element is written (per input element).
  std::uint32_t launches;     ///< Of one call; 0 where it grows with log n.
  bool device_values;         ///< Whether n and the initial value may lie in device memory.
  bool lines = false;         ///< Whether it takes lines, and scans in reverse.
  bool segments = false;      ///< Whether it takes segments, or runs of keys, and nothing else.
};

/// Whether something is possible, and why not. Converts to bool.
struct Support {
  bool supported = true;  ///< Whether it is possible.
  std::string reason;     ///< Why it is not; empty when it is.
  /// `supported`.
  explicit operator bool() const noexcept { return supported; }
};

/// Every row, in the order of the table.
BIFOLD_API std::span<const Variant> variants() noexcept;

/// The row of that algorithm and name, or null.
BIFOLD_API const Variant* find(Algorithm algorithm, std::string_view name) noexcept;

/// Whether `device` can run `variant` on that element type and operator.
BIFOLD_API Support supports(const Device& device, const Variant& variant, Type type,
                            const Operator& op);

/// @}

}  // namespace gallery
}  // namespace bifold
