#include "core/c_api/c_api_types.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_structs.hpp"
#include "core/element/struct_types.hpp"

namespace bifold::c_api {

namespace {

static_assert(
    static_cast<int>(Type::i8) == BIFOLD_I8 && static_cast<int>(Type::i64) == BIFOLD_I64 &&
    static_cast<int>(Type::u8) == BIFOLD_U8 && static_cast<int>(Type::u64) == BIFOLD_U64 &&
    static_cast<int>(Type::f32) == BIFOLD_F32 && static_cast<int>(Type::f64) == BIFOLD_F64 &&
    static_cast<int>(Type::f16) == BIFOLD_F16 && static_cast<int>(Type::bf16) == BIFOLD_BF16);
static_assert(static_cast<int>(OperatorKind::plus) == BIFOLD_PLUS &&
              static_cast<int>(OperatorKind::maximum) == BIFOLD_MAXIMUM &&
              static_cast<int>(OperatorKind::logical_or) == BIFOLD_LOGICAL_OR);

constexpr bifold_type first_struct = 256;

// The structs that have numbers of their own; the library's copies of their definitions.
const std::array<Type, 2>& complex_types() {
  static const std::array<Type, 2> both{Type(*Type::complex64.structure()),
                                        Type(*Type::complex128.structure())};
  return both;
}

Type builtin_from(bifold_type type) {
  if (type < BIFOLD_I8 || type > BIFOLD_BF16) {
    refuse(std::to_string(type) + " is no built-in element type");
  }
  return static_cast<Type::Kind>(type);
}

bifold_type struct_number(const char* name, std::size_t size, const bifold_field* fields,
                          std::size_t count) {
  if (count > max_struct_fields) refuse("a struct has 1 to 8 fields");
  if (count > 0) static_cast<void>(need(fields, "fields"));
  std::vector<StructField> known;
  for (std::size_t i = 0; i < count; ++i) {
    known.push_back(
        {need_text(fields[i].name, "field name"), type_from(fields[i].type), fields[i].offset});
  }
  const StructType definition{name, size, known};
  const Type type(definition);
  if (type == Type::complex64) return BIFOLD_COMPLEX64;
  if (type == Type::complex128) return BIFOLD_COMPLEX128;
  return first_struct + static_cast<bifold_type>(core::number_of_struct(definition));
}

const std::array<bifold_operator, 9>& builtins() {
  static const std::array<bifold_operator, 9> all{{{plus},
                                                   {multiplies},
                                                   {minimum},
                                                   {maximum},
                                                   {bit_and},
                                                   {bit_or},
                                                   {bit_xor},
                                                   {logical_and},
                                                   {logical_or}}};
  return all;
}

}  // namespace

Type type_from(bifold_type type) {
  if (type == BIFOLD_COMPLEX64 || type == BIFOLD_COMPLEX128) {
    return complex_types()[type == BIFOLD_COMPLEX64 ? 0 : 1];
  }
  if (type < first_struct) return builtin_from(type);
  const auto known = core::struct_of_number(static_cast<std::size_t>(type - first_struct));
  if (!known) refuse(std::to_string(type) + " is no element type");
  return *known;
}

std::vector<ScalarType> scalar_types_from(const bifold_scalar_type* scalars, std::size_t count) {
  std::vector<ScalarType> all;
  if (count > 0) static_cast<void>(need(scalars, "scalars"));
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back({need_text(scalars[i].name, "a scalar's name"), type_from(scalars[i].type)});
  }
  return all;
}

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_struct_type(const char* name, size_t size, const bifold_field* fields,
                                 size_t field_count, bifold_type* type) {
  return guard([&] {
    need(type, "type") = struct_number(need_text(name, "name"), size, fields, field_count);
  });
}

size_t bifold_type_size(bifold_type type) {
  size_t size = 0;
  const auto ignored = guard([&] { size = bifold::size_of(type_from(type)); });
  static_cast<void>(ignored);
  return size;
}

const bifold_operator* bifold_builtin_operator(bifold_operator_kind kind) {
  const bifold_operator* op = nullptr;
  const auto ignored = guard([&] {
    if (kind < BIFOLD_PLUS || kind > BIFOLD_LOGICAL_OR) refuse("no such built-in operator");
    op = &builtins()[static_cast<std::size_t>(kind)];
  });
  static_cast<void>(ignored);
  return op;
}

bifold_status bifold_operator_create(const char* name, const char* expression, bifold_type type,
                                     const void* identity, bifold_commutativity commutativity,
                                     bifold_operator** op) {
  return bifold_operator_create_with_scalars(name, expression, type, identity, commutativity,
                                             nullptr, 0, op);
}

bifold_status bifold_operator_create_with_scalars(const char* name, const char* expression,
                                                  bifold_type type, const void* identity,
                                                  bifold_commutativity commutativity,
                                                  const bifold_scalar_type* scalars,
                                                  size_t scalar_count, bifold_operator** op) {
  return guard([&] {
    static_cast<void>(need(op, "op"));
    if (commutativity != BIFOLD_COMMUTATIVE && commutativity != BIFOLD_NON_COMMUTATIVE) {
      refuse("no such commutativity");
    }
    const bifold::Type of = type_from(type);
    const std::string called = need_text(name, "name");
    const std::string text = need_text(expression, "expression");
    const auto commutes = static_cast<bifold::Commutativity>(commutativity);
    auto names = scalar_types_from(scalars, scalar_count);
    put_handle(op,
               identity == nullptr
                   ? bifold::Operator::user(called, text, of, commutes, std::move(names))
                   : bifold::Operator::user(called, text, bifold::Value::from_bytes(of, identity),
                                            commutes, std::move(names)));
  });
}

bifold_status bifold_operator_create_fieldwise(bifold_type type,
                                               const bifold_operator* const* operators,
                                               size_t count, bifold_operator** op) {
  return guard([&] {
    static_cast<void>(need(op, "op"));
    std::vector<bifold::Operator> all;
    for (size_t i = 0; i < count; ++i) {
      static_cast<void>(need(operators, "operators"));
      all.push_back(need(operators[i], "an operator").value);
    }
    put_handle(op, bifold::Operator::fieldwise(type_from(type), all));
  });
}

bifold_status bifold_operator_identity(const bifold_operator* op, bifold_type type,
                                       void* identity) {
  return guard([&] {
    const bifold::Value value = need(op, "op").value.identity(type_from(type));
    std::memcpy(&need(static_cast<unsigned char*>(identity), "identity"), value.data(),
                value.size());
  });
}

void bifold_operator_destroy(bifold_operator* op) { delete op; }

bifold_status bifold_map_create(const char* expression, bifold_map** map) {
  return bifold_map_create_with_scalars(expression, nullptr, 0, map);
}

bifold_status bifold_map_create_with_scalars(const char* expression,
                                             const bifold_scalar_type* scalars, size_t scalar_count,
                                             bifold_map** map) {
  return guard([&] {
    static_cast<void>(need(map, "map"));
    put_handle(map, bifold::Map(need_text(expression, "expression"),
                                scalar_types_from(scalars, scalar_count)));
  });
}

void bifold_map_destroy(bifold_map* map) { delete map; }
