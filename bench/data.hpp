// Input data with a known result, and the comparison with it.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// `count` random elements and their inclusive scan, in host memory. As out[i] of a scan depends on
/// the elements up to i only, one object serves every smaller count, every variant and device.
///
/// Integers are full-range; sums are modulo 2^width, so any order gives the same bits. Floating
/// data are integers: from -8 to 8 for sums, which stay far below 2^24, and +-1 for products. So
/// every order of evaluation is exact, and results are compared bit by bit. Data of f16 and bf16
/// are rounded from those of f32, and added in f32.
class HostData {
 public:
  HostData(bifold::Type type, const bifold::Operator& op, std::uint64_t count);

  [[nodiscard]] bifold::Type type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Of the data's type.
  [[nodiscard]] const bifold::Value& identity() const noexcept { return identity_; }
  [[nodiscard]] const std::byte* input() const noexcept { return input_.get(); }
  /// The scan's element `index`.
  [[nodiscard]] bifold::Value inclusive(std::uint64_t index) const;
  [[nodiscard]] const std::byte* inclusive() const noexcept { return inclusive_.get(); }

  /// Host bytes that an object takes.
  static std::uint64_t bytes_needed(bifold::Type type, std::uint64_t count);

 private:
  bifold::Type type_;
  std::uint64_t count_;
  bifold::Value identity_;
  std::unique_ptr<std::byte[]> input_;
  std::unique_ptr<std::byte[]> inclusive_;
};

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

/// Downloads results and compares them in full, a part at a time.
class Verifier {
 public:
  /// Blocks. Compares the reduction of the first `n` elements.
  static std::optional<Mismatch> check_reduce(bifold::Queue& queue,
                                              const bifold::ErasedView& result,
                                              const HostData& data, std::uint64_t n);
  /// Blocks. Compares every element of a scan's output.
  std::optional<Mismatch> check_scan(bifold::Queue& queue, const bifold::ErasedView& output,
                                     const HostData& data, bifold::ScanKind kind);

 private:
  std::vector<std::byte> part_;
};

}  // namespace bench
