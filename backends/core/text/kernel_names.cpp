#include "core/text/kernel_names.hpp"

#include <bifold/value.hpp>

#include "core/base/format.hpp"

namespace bifold::core {

std::string scalar_word(std::string_view name) {
  return formatted("{}.{}{}", scalars_word, scalar_prefix, name);
}

std::string kernel_name(Type type) {
  return formatted("{}{}", type.is_struct() ? struct_prefix : "", name_of(type));
}

void append_struct(std::string& text, Type type) {
  const StructType& structure = *type.structure();
  const std::string name = kernel_name(type);
  std::string members;
  std::string layout = formatted("(sizeof({}) == {})", name, structure.size);
  std::string parameters;
  std::string assignments;
  for (const StructField& field : structure.fields) {
    const std::string member = formatted("{}{}", field_prefix, field.name);
    members += formatted(" {} {};", name_of(field.type), member);
    layout += formatted(" & (FIELD_OFFSET({}, {}) == {})", name, member, field.offset);
    parameters += formatted("{}{} {}", parameters.empty() ? "" : ", ", name_of(field.type), member);
    assignments += formatted(" made.{0} = {0};", member);
  }
  text += formatted(
      "typedef struct {{{1} }} {0};\ntypedef char {5}{7}[({2}) ? 1 : -1];\n"
      "DEVICE {0} {6}{7}({3}) {{ {0} made;{4} return made; }}\n",
      name, members, layout, parameters, assignments, layout_prefix, maker_prefix, structure.name);
}

std::string_view unsigned_of(Type type) {
  switch (size_of(type)) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

std::string kernel_value(Type type, const std::byte* value) {
  if (type.is_struct()) {
    std::string fields;
    for (const StructField& field : type.structure()->fields) {
      fields += (fields.empty() ? "" : ", ") + kernel_value(field.type, value + field.offset);
    }
    return formatted("{}{}({})", maker_prefix, name_of(type), fields);
  }
  return formatted("{}_of_bits(({}){:#x})", name_of(type), unsigned_of(type),
                   Value::from_bytes(type, value).bits());
}

}  // namespace bifold::core
