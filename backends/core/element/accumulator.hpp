// An accumulator as kernels hold it.
#pragma once

#include <algorithm>
#include <array>
#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace bifold::core {

/// Where an accumulator's parts lie. An operator without a neutral element gets one adjoined: a
/// word behind the value tells whether there is a value, and what is absent is skipped. So kernels
/// may pad with "nothing" whatever the operator.
struct AccumulatorLayout {
  std::size_t bytes;
  std::size_t present_offset;  ///< Of the word; `bytes` where there is none.

  AccumulatorLayout(const Operator& op, Type type) noexcept
      : bytes(size_of(type)), present_offset(bytes) {
    if (op.has_identity()) return;
    constexpr std::size_t word = sizeof(std::uint32_t);
    const std::size_t alignment = std::max(word, align_of(type));
    present_offset = (bytes + word - 1) / word * word;
    bytes = (present_offset + word + alignment - 1) / alignment * alignment;
  }
};

/// The bytes of one accumulator, as a kernel takes them by value.
class StoredAccumulator {
 public:
  /// `value` is of `type`; nothing stands for the operator's identity, adjoined or not.
  StoredAccumulator(const Operator& op, Type type, const std::optional<Value>& value)
      : layout_(op, type) {
    const bool adjoined = !op.has_identity();
    if (adjoined && !value) return;  // Zeros are what is absent.
    const Value held = value ? *value : op.identity(type);
    std::memcpy(bytes_.data(), held.data(), held.size());
    constexpr std::uint32_t present = 1;
    if (adjoined) std::memcpy(bytes_.data() + layout_.present_offset, &present, sizeof present);
  }

  [[nodiscard]] std::size_t size() const noexcept { return layout_.bytes; }
  /// Zeros follow the size.
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }

 private:
  AccumulatorLayout layout_;
  std::array<std::byte, max_element_bytes + 2 * sizeof(std::uint64_t)> bytes_{};
};

}  // namespace bifold::core
