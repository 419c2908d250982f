// From a kernel's specification to the text a compiler sees.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface.hpp"

namespace bifold::core {

using Defines = std::vector<std::pair<std::string_view, std::uint32_t>>;

/// Everything that makes one kernel, as data.
struct KernelSpec {
  std::string_view family;           ///< Base name of the kernel file.
  std::string_view entry;            ///< Entry point in it.
  std::vector<std::string> prelude;  ///< Files it needs before it, beside types.
  Type input = Type::i32;
  Type accumulator = Type::i32;
  Type output = Type::i32;
  Operator op = plus;
  Map map{};                     ///< From elements to the accumulator.
  std::optional<Type> second{};  ///< Of the elements of a second array, which the map takes too.
  std::optional<Type> count{};   ///< Of a count in device memory.
  std::uint32_t pack_lanes = 0;  ///< Elements of a pack that operators take as one; 0: they do not.
  std::optional<OperatorKind> field_operator{};  ///< Of all fields, where arrays of them are used.
  Defines defines;
  backend::LaunchTraits launch{};
};

/// Whether a struct has bytes between or behind its fields, which nobody gives a value.
bool has_padding(Type type);

/// The operator that combines every field of a struct whose fields have one type and no padding;
/// none where there is no such struct or operator.
std::optional<OperatorKind> field_operator(const Operator& op, Type type);

/// The complete source of the spec's program in the device's dialect: types, defines, operator,
/// prelude, kernel file. Specs that differ in their entry only share it.
backend::Source kernel_source(const backend::Device& device, const KernelSpec& spec);

}  // namespace bifold::core
