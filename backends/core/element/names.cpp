// The spelled-out names of the public enumerations.
#include <array>
#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <bifold/gallery.hpp>
#include <bifold/order.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <bifold/version.hpp>
#include <string>

namespace bifold {

std::string_view version() noexcept { return BIFOLD_VERSION; }

std::string_view name_of(Type type) noexcept {
  constexpr std::array<std::string_view, all_types.size() + storage_types.size()> names{
      "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "f16", "bf16"};
  return type.is_struct() ? type.structure()->name : names[type.kind()];
}

void detail::refuse_type(Type type) try {
  throw Error(ErrorCategory::invalid_argument,
              (type.is_struct() ? "the struct " : "the storage type ") +
                  std::string(name_of(type)) +
                  " stands where only a built-in type to compute with can");
} catch (...) {
  detail::rethrow();
}

std::optional<Type> parse_type(std::string_view name) noexcept {
  for (const Type type : all_types) {
    if (name_of(type) == name) return type;
  }
  for (const Type type : storage_types) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

std::string_view name_of(DeviceKind kind) noexcept {
  switch (kind) {
    case DeviceKind::gpu: return "gpu";
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::accelerator: break;
  }
  return "accelerator";
}

std::string_view name_of(Algorithm algorithm) noexcept {
  return algorithm == Algorithm::reduce ? "reduce" : "scan";
}

std::string_view name_of(ScanKind kind) noexcept {
  return kind == ScanKind::inclusive ? "inclusive" : "exclusive";
}

std::string_view name_of(Order order) noexcept { return order == Order::v1 ? "v1" : "any"; }

std::string_view gallery::name_of(Order order) noexcept {
  switch (order) {
    case Order::v1: return "v1";
    case Order::fixed: return "fixed";
    case Order::unordered: break;
  }
  return "unordered";
}

}  // namespace bifold
