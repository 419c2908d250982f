// A number that tells whether two results have the same bits, wherever they were computed.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

/// The sum, modulo 2^64, of a well-mixed word of each element's index and bits. It does not depend
/// on the byte order of the machine. Every NaN counts as the same one. The fields of a struct count
/// as elements, one behind the other.
class Digest {
 public:
  Digest() = default;
  /// Of elements from that number on. The sum of the digests of an array's parts is the array's.
  Digest(std::uint64_t first, bifold::Type type);

  /// Takes the next `count` elements.
  void add(const std::byte* elements, std::uint64_t count, bifold::Type type);

  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t taken_ = 0;  ///< Numbers, of which a struct is several.
  std::uint64_t sum_ = 0;
};

/// 16 hexadecimal digits.
std::string digest_text(std::uint64_t digest);

}  // namespace bench
