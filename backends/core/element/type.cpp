#include <array>
#include <bifold/error.hpp>
#include <bifold/type.hpp>
#include <string>

namespace bifold {

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

}  // namespace bifold
