/// @file
/// Structs and complex numbers as element types.
#pragma once

#include <array>
#include <bifold/type.hpp>
#include <complex>
#include <cstddef>
#include <type_traits>

/// @addtogroup types
/// @{

/// Makes a struct an element type: BIFOLD_STRUCT(Range, low, high), at global scope, behind
/// `struct Range { float low; float high; };`. Every field is named, in order, and is of a built-in
/// element type, f16 and bf16 excepted. Kernel texts know the struct by the name given here,
/// without namespaces, its fields by theirs, and make one by `make_Range(low, high)`. A struct has
/// at most max_element_bytes bytes and up to 8 fields.
#define BIFOLD_STRUCT(Struct, ...) BIFOLD_STRUCT_NAMED(Struct, Struct, __VA_ARGS__)

/// The same with a name for kernel texts: BIFOLD_STRUCT_NAMED(app::Range, Range, low, high).
#define BIFOLD_STRUCT_NAMED(Struct, Name, ...)                                               \
  template <>                                                                                \
  struct bifold::StructTraits<Struct> {                                                      \
    static_assert(std::is_trivially_copyable_v<Struct> && std::is_standard_layout_v<Struct>, \
                  #Struct " is copied between host and device as bytes");                    \
    static_assert(sizeof(Struct) <= bifold::max_element_bytes, #Struct " is too large");     \
    static_assert(bifold::detail::is_identifier(#Name),                                      \
                  #Name " is no name for kernel texts: see BIFOLD_STRUCT_NAMED");            \
    static constexpr std::array fields{                                                      \
        BIFOLD_DETAIL_EACH(BIFOLD_DETAIL_FIELD, Struct, __VA_ARGS__)};                       \
    static_assert(bifold::detail::lists_whole_struct(fields, sizeof(Struct)),                \
                  #Struct ": every field, in order, of a built-in element type");            \
    static constexpr bifold::StructType definition{#Name, sizeof(Struct), fields};           \
  }

/// @}

/// @cond internal
template <>
struct bifold::StructTraits<std::complex<float>> {
  static_assert(sizeof(std::complex<float>) == 8);
  static constexpr StructType definition = detail::complex64_definition;
};

template <>
struct bifold::StructTraits<std::complex<double>> {
  static_assert(sizeof(std::complex<double>) == 16);
  static constexpr StructType definition = detail::complex128_definition;
};
/// @endcond

#define BIFOLD_DETAIL_FIELD(Struct, field)                                      \
  bifold::StructField {                                                         \
    #field, bifold::type_of<decltype(Struct::field)>(), offsetof(Struct, field) \
  }
#define BIFOLD_DETAIL_EACH(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH2(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH2(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH3(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH3(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH4(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH4(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH5(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH5(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH6(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH6(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH7(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH7(f, s, a, ...) \
  f(s, a) __VA_OPT__(, BIFOLD_DETAIL_EACH8(f, s, __VA_ARGS__))
#define BIFOLD_DETAIL_EACH8(f, s, a) f(s, a)
