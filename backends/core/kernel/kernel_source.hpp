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

#include "core/kernel/scalars.hpp"
#include "interface.hpp"

namespace bifold::core {

using Defines = std::vector<std::pair<std::string_view, std::uint32_t>>;

/// Everything that makes one kernel, as data.
struct KernelSpec {
  std::string_view family;  ///< The kernel's own part.
  std::string_view entry;   ///< Entry point in it.
  /// Parts of its text, its own last, each behind those that it uses. The first `type_parts` of
  /// them stand before its types.
  std::vector<std::string> parts;
  std::size_t type_parts = 0;
  Type input = Type::i32;
  Type accumulator = Type::i32;
  Type output = Type::i32;
  Operator op = plus;
  Map map{};               ///< From elements to the accumulator.
  ResultMap result_map{};  ///< From the accumulator to what is stored.
  std::vector<OutputShape> more_outputs{};
  std::optional<Type> second{};     ///< Of the elements of a second array, which the map takes too.
  std::vector<Type> more_inputs{};  ///< Of the elements of arrays behind that one.
  std::optional<Type> values{};     ///< Of an array that is stored beside the elements.
  std::optional<Type> count{};      ///< Of a count in device memory.
  std::uint32_t vector_lanes = 0;   ///< Elements that operators take as one vector; 0: they do not.
  bool takes_fields = false;        ///< Whether parts read and write accumulators field by field.
  std::optional<OperatorKind> field_operator{};  ///< Of all fields, where arrays of them are used.
  std::optional<Type> line_count{};              ///< Of a number of lines in device memory.
  std::optional<Type> bounds{};                  ///< Of where segments begin and end.
  bool keeps_elements = false;                   ///< KEEP: an element as an output.
  bool swapped = false;                          ///< The operator's operands change places.
  std::optional<std::uint32_t> group_size{};     ///< GROUP_SIZE; empty: one work-item.
  std::optional<std::uint32_t> groups_held{};    ///< GROUPS_HELD: of a compute unit at once.
  bool held_by_option = false;                   ///< As backend::Device::options_to_hold() says.
  std::optional<std::uint32_t> vector_width{};   ///< VEC: elements of a load or store.
  Defines defines{};                             ///< Everything else that is a number.
  KernelScalars scalars{};                       ///< That its operator and its maps name.
  backend::LaunchTraits launch{};
  bool may_go = false;  ///< As Request::may_go.
};

/// Whether a struct has bytes between or behind its fields, which nobody gives a value.
bool has_padding(Type type);

/// The operator that combines every field of a struct whose fields have one type and no padding;
/// none where there is no such struct or operator.
std::optional<OperatorKind> field_operator(const Operator& op, Type type);

/// The names that parts in front of the spec's types have to provide, by what these are and by what
/// the operator and the maps call.
std::vector<std::string_view> type_parts(const KernelSpec& spec);

/// The complete source of the spec's program in the device's dialect: types, defines, operator,
/// parts. Specs that differ in their entry only share it.
backend::Source kernel_source(const backend::Device& device, const KernelSpec& spec);

}  // namespace bifold::core
