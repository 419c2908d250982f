/// @file
/// Element types: the run-time tag and its mapping from C++ types.
#pragma once

#include <array>
#include <atomic>
#include <bifold/export.hpp>
#include <bifold/half.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bifold {

/// @addtogroup types
/// @{

struct StructType;

/// An element type: one of the built-in ones, whose names are those that operator texts use, or a
/// struct of them. A small value, which depends on nothing of the caller's: the library keeps a
/// copy of each definition of a struct that it meets, for the life of the process.
class Type {
 public:
  /// The built-in types. The 16-bit floating ones are for storage: elements that are read and
  /// written, and computed with as f32.
  enum Kind : std::uint8_t {
    i8,    ///< std::int8_t.
    i16,   ///< std::int16_t.
    i32,   ///< std::int32_t.
    i64,   ///< std::int64_t.
    u8,    ///< std::uint8_t.
    u16,   ///< std::uint16_t.
    u32,   ///< std::uint32_t.
    u64,   ///< std::uint64_t.
    f32,   ///< float, IEEE 754 binary32.
    f64,   ///< double, IEEE 754 binary64.
    f16,   ///< bifold::f16, IEEE 754 binary16; for storage.
    bf16,  ///< bifold::bf16, the upper half of a binary32; for storage.
  };

  /// A complex number of two f32: the struct of that name, whose fields are `re` and `im`.
  static const Type complex64;
  /// A complex number of two f64.
  static const Type complex128;

  /// i32.
  constexpr Type() noexcept = default;
  /// A built-in type.
  constexpr Type(Kind kind) noexcept : kind_(kind) {}  // NOLINT(google-explicit-constructor)
  /// A struct type, which refers to the library's copy of the definition. Throws invalid_argument
  /// for a definition that is not as StructType says, which does not compile in a constant
  /// expression. A constant refers to the definition itself.
  constexpr explicit Type(const StructType& structure);

  /// Whether it is a struct.
  [[nodiscard]] constexpr bool is_struct() const noexcept { return structure_ != nullptr; }
  /// Which built-in type it is; says nothing of a struct.
  [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }
  /// Null for a built-in type.
  [[nodiscard]] constexpr const StructType* structure() const noexcept { return structure_; }

  /// @cond internal
  // Of a definition that is known to be right and to stay.
  static constexpr Type of_kept(const StructType& structure) noexcept {
    Type type;
    type.structure_ = &structure;
    return type;
  }
  /// @endcond

  /// The same built-in type, or structs of equal definitions.
  friend constexpr bool operator==(const Type& left, const Type& right) noexcept {
    if (left.structure_ == right.structure_) return left.kind_ == right.kind_;
    return left.is_struct() && right.is_struct() && same_structure(left, right);
  }

 private:
  // Definitions of one struct may stand in several shared objects.
  static constexpr bool same_structure(const Type& left, const Type& right) noexcept;

  Kind kind_ = i32;
  const StructType* structure_ = nullptr;
};

/// A field of a struct element type, `offset` bytes from the struct's start.
struct StructField {
  std::string_view name;  ///< What kernel texts call it.
  Type type;              ///< A built-in type, not one for storage.
  std::size_t offset;     ///< From the struct's start, in bytes.

  /// The same name, type and offset.
  friend constexpr bool operator==(const StructField&, const StructField&) noexcept = default;
};

/// The definition of a struct element type, as kernel texts repeat it: 1 to 8 fields of different
/// names, laid out as C does, max_element_bytes at most.
struct StructType {
  std::string_view name;                ///< An identifier, the same for every backend.
  std::size_t size;                     ///< In bytes, padding included.
  std::span<const StructField> fields;  ///< In the order of their offsets.
};

/// No element has more bytes.
inline constexpr std::size_t max_element_bytes = 64;

/// No struct has more fields.
inline constexpr std::size_t max_struct_fields = 8;

/// The built-in element types that one computes with.
inline constexpr std::array<Type, 10> all_types{Type::i8,  Type::i16, Type::i32, Type::i64,
                                                Type::u8,  Type::u16, Type::u32, Type::u64,
                                                Type::f32, Type::f64};

/// The built-in element types that are for storage.
inline constexpr std::array<Type, 2> storage_types{Type::f16, Type::bf16};

/// Bytes of one element.
constexpr std::size_t size_of(Type type) noexcept {
  constexpr std::array<std::size_t, all_types.size() + storage_types.size()> sizes{
      1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2};
  return type.is_struct() ? type.structure()->size : sizes[type.kind()];
}

/// Bytes of which an element's address is a multiple.
constexpr std::size_t align_of(Type type) noexcept {
  if (!type.is_struct()) return size_of(type);
  std::size_t alignment = 1;
  for (const StructField& field : type.structure()->fields) {
    if (size_of(field.type) > alignment) alignment = size_of(field.type);
  }
  return alignment;
}

/// Whether it is f32, f64 or one of the 16-bit floating types.
constexpr bool is_floating(Type type) noexcept {
  return !type.is_struct() && type.kind() >= Type::f32;
}
/// Whether it is a signed integer or a floating type.
constexpr bool is_signed(Type type) noexcept {
  return !type.is_struct() && (type.kind() <= Type::i64 || is_floating(type));
}
/// Whether it is f16 or bf16: read and written, but computed with as another type.
constexpr bool is_storage(Type type) noexcept {
  return !type.is_struct() && type.kind() >= Type::f16;
}
/// The type in which elements of `type` are computed with by default: f32 for those that are for
/// storage, else their own.
constexpr Type accumulator_of(Type type) noexcept { return is_storage(type) ? Type::f32 : type; }

/// Whether the type is `part`, or a struct with such a field.
constexpr bool contains(Type type, Type part) noexcept {
  if (!type.is_struct()) return type == part;
  for (const StructField& field : type.structure()->fields) {
    if (field.type == part) return true;
  }
  return false;
}

/// @cond internal
namespace detail {
inline constexpr std::array complex64_fields{StructField{"re", Type::f32, 0},
                                             StructField{"im", Type::f32, 4}};
inline constexpr std::array complex128_fields{StructField{"re", Type::f64, 0},
                                              StructField{"im", Type::f64, 8}};
inline constexpr StructType complex64_definition{"complex64", 8, complex64_fields};
inline constexpr StructType complex128_definition{"complex128", 16, complex128_fields};
}  // namespace detail

inline constexpr Type Type::complex64 = Type::of_kept(detail::complex64_definition);
inline constexpr Type Type::complex128 = Type::of_kept(detail::complex128_definition);
/// @endcond

/// Whether it is complex64 or complex128, on which `plus` and `multiplies` are defined.
constexpr bool is_complex(Type type) noexcept {
  return type.is_struct() && (type == Type::complex64 || type == Type::complex128);
}

/// "i8" ... "f64", "f16", "bf16", or the struct's name.
BIFOLD_API std::string_view name_of(Type type) noexcept;

/// The built-in type of that name, complex64 and complex128 left out, or nothing.
BIFOLD_API std::optional<Type> parse_type(std::string_view name) noexcept;

constexpr bool Type::same_structure(const Type& left, const Type& right) noexcept {
  const StructType& a = *left.structure();
  const StructType& b = *right.structure();
  if (a.name != b.name || a.size != b.size || a.fields.size() != b.fields.size()) return false;
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (!(a.fields[i] == b.fields[i])) return false;
  }
  return true;
}

namespace detail {

/// Whether the text is a name in C and C++, keywords aside.
constexpr bool is_identifier(std::string_view text) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !is_digit(c)) return false;
  }
  return !text.empty() && !is_digit(text.front());
}

/// Whether the fields are of types to compute with, lie one behind the other, and no larger struct
/// than `size` bytes holds them.
constexpr bool lists_whole_struct(std::span<const StructField> fields, std::size_t size) noexcept {
  std::size_t end = 0;
  std::size_t alignment = 1;
  for (const StructField& field : fields) {
    if (field.type.is_struct() || is_storage(field.type)) return false;
    const std::size_t width = size_of(field.type);
    if (width > alignment) alignment = width;
    if (field.offset != (end + width - 1) / width * width) return false;
    end = field.offset + width;
  }
  return (end + alignment - 1) / alignment * alignment == size;
}

/// Whether the definition is as StructType says.
constexpr bool is_right(const StructType& definition) noexcept {
  const std::span<const StructField> fields = definition.fields;
  if (fields.empty() || fields.size() > max_struct_fields) return false;
  if (!is_identifier(definition.name)) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_identifier(fields[i].name)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (fields[j].name == fields[i].name) return false;
    }
  }
  return definition.size <= max_element_bytes && lists_whole_struct(fields, definition.size);
}

/// Throws invalid_argument, saying why the definition is not right.
[[noreturn]] BIFOLD_API void refuse_struct(const StructType& definition);

/// The library's copy of the definition, the same one for equal definitions. Throws
/// invalid_argument for one that is not right.
BIFOLD_API const StructType& keep_struct(const StructType& definition);

/// The same of one that is right; itself where there is no memory for a copy.
BIFOLD_API const StructType& keep_right_struct(const StructType& definition) noexcept;

}  // namespace detail

constexpr Type::Type(const StructType& structure) {
  if (!std::is_constant_evaluated()) {
    structure_ = &detail::keep_struct(structure);
  } else {
    if (!detail::is_right(structure)) detail::refuse_struct(structure);
    structure_ = &structure;
  }
}

/// C++ types that are built-in elements to compute with: the integers of 1 to 8 bytes (bool
/// excepted), float and double.
template <class T>
concept builtin_element =
    (std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8) ||
    std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double>;

/// C++ types that are elements to store: f16 and bf16.
template <class T>
concept storage_element =
    std::same_as<std::remove_cv_t<T>, f16> || std::same_as<std::remove_cv_t<T>, bf16>;

/// C++ types that are elements and numbers.
template <class T>
concept scalar_element = builtin_element<T> || storage_element<T>;

/// Specialised, by BIFOLD_STRUCT, for the structs that are elements: a StructType `definition`.
template <class T>
struct StructTraits {};

/// C++ structs that BIFOLD_STRUCT has made elements.
template <class T>
concept struct_element =
    std::same_as<decltype(StructTraits<std::remove_cv_t<T>>::definition), const StructType>;

/// C++ types that are elements of Type::complex64 or Type::complex128: std::complex<float> and
/// std::complex<double> with <bifold/struct.hpp>, and structs that BIFOLD_STRUCT_NAMED makes so.
template <class T>
concept complex_element =
    struct_element<T> && is_complex(Type::of_kept(StructTraits<std::remove_cv_t<T>>::definition));

/// C++ types that are elements.
template <class T>
concept element = scalar_element<T> || struct_element<T>;

namespace detail {

/// The library's copy of T's definition, which is asked for once. T's own code may be unloaded
/// while the process goes on, and with it what BIFOLD_STRUCT made.
template <struct_element T>
const StructType& kept_definition() noexcept {
  static constinit std::atomic<const StructType*> kept{nullptr};
  const StructType* known = kept.load(std::memory_order_acquire);
  if (known == nullptr) {
    const StructType& own = StructTraits<T>::definition;
    known = &keep_right_struct(own);
    if (known != &own) kept.store(known, std::memory_order_release);
  }
  return *known;
}

}  // namespace detail

/// The tag of a C++ element type. Integers map by size and signedness, so `long` and `long long`
/// are both i64 where they have eight bytes.
template <element T>
constexpr Type type_of() noexcept {
  if constexpr (struct_element<T>) {
    using Struct = std::remove_cv_t<T>;
    static_assert(detail::is_right(StructTraits<Struct>::definition), "see bifold::StructType");
    if (std::is_constant_evaluated()) return Type::of_kept(StructTraits<Struct>::definition);
    return Type::of_kept(detail::kept_definition<Struct>());
  } else if constexpr (storage_element<T>) {
    return std::same_as<std::remove_cv_t<T>, f16> ? Type::f16 : Type::bf16;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? Type::f32 : Type::f64;
  } else {
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<Type::Kind>((std::is_signed_v<T> ? Type::i8 : Type::u8) + log2_size);
  }
}

/// The C++ type in which elements of type T are computed with by default: see accumulator_of().
template <element T>
using accumulator_t = std::conditional_t<storage_element<T>, float, std::remove_cv_t<T>>;

namespace detail {
/// Throws invalid_argument: what was asked of the type is for built-in types to compute with.
[[noreturn]] BIFOLD_API void refuse_type(Type type);
}  // namespace detail

/// Calls `body` with a value-initialised object of the C++ type that `type` names: the one bridge
/// from the run-time tag back to templates. Throws invalid_argument for what one does not compute
/// with: structs and storage types.
template <class Body>
constexpr decltype(auto) visit_type(Type type, Body&& body) {
  if (type.is_struct() || is_storage(type)) detail::refuse_type(type);
  switch (type.kind()) {
    case Type::i8: return body(std::int8_t{});
    case Type::i16: return body(std::int16_t{});
    case Type::i32: return body(std::int32_t{});
    case Type::i64: return body(std::int64_t{});
    case Type::u8: return body(std::uint8_t{});
    case Type::u16: return body(std::uint16_t{});
    case Type::u32: return body(std::uint32_t{});
    case Type::u64: return body(std::uint64_t{});
    case Type::f32: return body(float{});
    case Type::f64:
    case Type::f16:
    case Type::bf16: break;
  }
  return body(double{});
}

/// visit_type() of storage types as well. Throws invalid_argument for a struct.
template <class Body>
constexpr decltype(auto) visit_scalar_type(Type type, Body&& body) {
  if (type == Type::f16) return body(f16{});
  if (type == Type::bf16) return body(bf16{});
  return visit_type(type, std::forward<Body>(body));
}

/// @}

}  // namespace bifold
