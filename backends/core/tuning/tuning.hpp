// Tuning values: what may change daily without changing a result's meaning.
#pragma once

#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bifold::core {

/// Named values of one kernel family. Those in capitals go to the kernel as defines of the same
/// name; those in small letters stay on the host (groups_per_unit).
class Tuning {
 public:
  using Entry = std::pair<std::string_view, std::uint32_t>;

  Tuning() = default;
  Tuning(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// The value of that name; a name the family does not have is a logic error and throws
  /// invalid_argument.
  [[nodiscard]] std::uint32_t get(std::string_view name) const;
  /// The value of that name, or `otherwise` where the family does not have it.
  [[nodiscard]] std::uint32_t get_or(std::string_view name, std::uint32_t otherwise) const;
  /// Sets or adds a value. `name` must outlive the Tuning (a literal).
  Tuning& set(std::string_view name, std::uint32_t value);
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

  friend bool operator==(const Tuning&, const Tuning&) = default;

 private:
  std::vector<Entry> entries_;
};

/// What a device has of its last cache, in bytes; 0 when unknown. A virtual machine is told of all
/// of a cache that others share: a CPU has no more than 16 MiB for each of its hardware threads.
std::uint64_t own_cache_bytes(DeviceKind kind, const Capabilities& capabilities);

/// The built-in values for `variant`, with those that its row has `fixed`, on a device of these
/// capabilities and the class of its architecture, for elements that occupy `element_bytes` at the
/// widest of input, accumulator and output.
Tuning default_tuning(const gallery::Variant& variant, const Tuning& fixed, DeviceKind kind,
                      const Capabilities& capabilities, std::size_t element_bytes);

}  // namespace bifold::core
