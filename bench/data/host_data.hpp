// Input data with a known result, and the comparison with it.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/digest.hpp"

namespace bench {

/// Every run uses the same data: element i depends on i, the type, the operator and this.
inline constexpr std::uint64_t data_seed = 0x62'69'66'6f'6c'64;

/// A well-mixed word for every index (the finaliser of splitmix64).
constexpr std::uint64_t random_word(std::uint64_t index) {
  std::uint64_t z = index * 0x9e3779b97f4a7c15 + data_seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// What the elements of a floating sum are.
enum class DataKind : std::uint8_t {
  exact,     ///< Integers: every order of evaluation gives the same bits.
  rounding,  ///< Fractions of many magnitudes: nearly every addition rounds, as order v1 says.
};

/// "exact", "rounding".
std::string_view name_of(DataKind kind);

/// `count` random elements and their inclusive scan, in host memory. As out[i] of a scan depends on
/// the elements up to i only, one object serves every smaller count, every variant and device.
///
/// Integers are full-range; sums are modulo 2^width, so any order gives the same bits. Floating
/// data are integers: from -8 to 8 for sums, which stay far below 2^24, and +-1 for products. So
/// every order of evaluation is exact, and results are compared bit by bit. Data of f16 and bf16
/// are rounded from those of f32, and added in f32.
///
/// Of DataKind::rounding, floating sums are of other data, and what is expected is what order v1
/// gives: rows in any other order have other bits.
class HostData {
 public:
  HostData(bifold::Type type, const bifold::Operator& op, std::uint64_t count,
           DataKind kind = DataKind::exact);

  [[nodiscard]] bifold::Type type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Of the data's type.
  [[nodiscard]] const bifold::Value& identity() const noexcept { return identity_; }
  /// What an exclusive scan begins with.
  [[nodiscard]] const bifold::Value& of_nothing() const noexcept { return of_nothing_; }
  [[nodiscard]] const std::byte* input() const noexcept { return input_.get(); }
  /// The scan's element `index`.
  [[nodiscard]] bifold::Value inclusive(std::uint64_t index) const;
  /// The reduction of the first `n` elements, at least one.
  [[nodiscard]] bifold::Value total(std::uint64_t n) const;
  [[nodiscard]] const std::byte* inclusive() const noexcept { return inclusive_.get(); }

  /// Host bytes that an object takes.
  static std::uint64_t bytes_needed(bifold::Type type, std::uint64_t count);

 private:
  bifold::Type type_;
  std::uint64_t count_;
  mutable std::map<std::uint64_t, bifold::Value> totals_;  ///< Of data that round.
  bool rounds_ = false;  ///< So that a reduction is not the last element of the scan.
  bifold::Value identity_;
  bifold::Value of_nothing_;
  std::unique_ptr<std::byte[]> input_;
  std::unique_ptr<std::byte[]> inclusive_;
};

/// The elements from number `first` on that HostData has, as many as `elements` has room for.
void fill_elements(bifold::Type type, const bifold::Operator& op, DataKind kind,
                   std::uint64_t first, std::span<std::byte> elements);

/// The first element that is not what it has to be.
struct Mismatch {
  std::uint64_t index;
  bifold::Value expected;
  bifold::Value found;
};

/// "WRONG at index 17: expected 5, found 7".
std::string describe(const Mismatch& mismatch);

/// What a scan's output is filled with before a verified call.
bifold::Value poison(bifold::Type type);
/// What a reduction's result is set to before: a value that differs from the right one.
bifold::Value poison(const bifold::Value& expected);

/// Host bytes that a Verifier takes.
inline constexpr std::uint64_t verifier_bytes = std::uint64_t{64} << 20;

/// What counts as equal: ours gives the reference's bits; a peer may give a zero the other sign, as
/// -0 is the identity of a sum to bifold and 0 is to others.
enum class Equality : std::uint8_t { bits, values };

/// Downloads results and compares them in full, a part at a time.
class Verifier {
 public:
  /// Blocks. Compares the reduction of the first `n` elements.
  std::optional<Mismatch> check_reduce(bifold::Queue& queue, const bifold::ErasedView& result,
                                       const HostData& data, std::uint64_t n,
                                       Equality equality = Equality::bits);
  /// The same for a result in host memory.
  static std::optional<Mismatch> check_host_reduce(const std::byte* result, const HostData& data,
                                                   std::uint64_t n,
                                                   Equality equality = Equality::bits);
  /// Compares every element of the scan of the first `n` elements, in host memory.
  static std::optional<Mismatch> check_host_scan(const std::byte* output, const HostData& data,
                                                 std::uint64_t n, bifold::ScanKind kind,
                                                 Equality equality = Equality::bits);
  /// Blocks. Compares every element of a scan's output.
  std::optional<Mismatch> check_scan(bifold::Queue& queue, const bifold::ErasedView& output,
                                     const HostData& data, bifold::ScanKind kind,
                                     Equality equality = Equality::bits);

  /// Blocks. Compares every element of an output with those that `expected` points to.
  std::optional<Mismatch> check_elements(bifold::Queue& queue, const bifold::ErasedView& output,
                                         const std::byte* expected,
                                         Equality equality = Equality::bits);

  /// The same for an output in host memory.
  static std::optional<Mismatch> check_host_elements(const std::byte* output,
                                                     const std::vector<std::byte>& expected,
                                                     bifold::Type type,
                                                     Equality equality = Equality::bits);

  /// Of the elements that the last check_...() of a queue's memory found.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_.value(); }

 private:
  template <class Compare>
  std::optional<Mismatch> check_parts(bifold::Queue& queue, const bifold::ErasedView& output,
                                      Compare compare_part);

  Digest digest_;
  std::vector<std::byte> part_;
};

}  // namespace bench
