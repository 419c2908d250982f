// Input data: random, signed, and such that every operator's result still depends on every part.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifold::test {

/// How floating-point data is drawn for sums and products.
enum class Flavor : std::uint8_t {
  exact,  ///< Every partial result is exact in any association: results compare bit by bit.
  real,   ///< Ordinary reals: results are compared with an error bound.
};

/// Elements of a run-time type on the host.
class HostData {
 public:
  HostData(Type type, std::uint64_t count) : type_(type), bytes_(count * size_of(type)) {}

  [[nodiscard]] Type type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size() / size_of(type_); }
  [[nodiscard]] std::byte* bytes() noexcept { return bytes_.data(); }
  [[nodiscard]] const std::byte* bytes() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return bytes_.size(); }

  /// The elements as T; T is the C++ type of type().
  template <element T>
  [[nodiscard]] T* as() noexcept {
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <element T>
  [[nodiscard]] const T* as() const noexcept {
    return reinterpret_cast<const T*>(bytes_.data());
  }

 private:
  Type type_;
  std::vector<std::byte> bytes_;
};

/// `count` elements of `type` for an operator of `kind`.
///   plus: signed, small enough for exact floating sums in the exact flavor;
///   multiplies: odd integers; +-1 with a few +-2 and +-0.5 among floating data;
///   minimum, maximum: a noisy ramp, so that running extrema keep changing to the end;
///   bitwise and logical: nearly neutral, so that a change is rare but happens;
///   user: any bits.
HostData make_input(Type type, OperatorKind kind, std::uint64_t count, std::uint64_t seed,
                    Flavor flavor = Flavor::exact);

/// An initial value for such data: not neutral, and not one that absorbs the data.
Value make_init(Type type, OperatorKind kind, std::uint64_t seed);

}  // namespace bifold::test
