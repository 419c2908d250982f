#include "core/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifold/error.hpp>

#include "core/operator_text.hpp"

namespace bifold::core {

namespace {

std::string_view unsigned_of(Type type) {
  switch (size_of(type)) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

bool uses_f64(const KernelSpec& spec) {
  return contains(spec.input, Type::f64) || contains(spec.accumulator, Type::f64) ||
         contains(spec.output, Type::f64);
}

void append_file(std::string& text, const backend::Device& device, std::string_view name) {
  text +=
      fmt::format("#line 1 \"{}{}\"\n{}\n", name, device.kernel_suffix(), device.kernel_file(name));
}

/// A struct, a check that this compiler lays it out as the host's did, and what makes one of its
/// fields.
void append_struct(std::string& text, const StructType& structure) {
  const std::string_view name = structure.name;
  std::string members;
  std::string layout = fmt::format("(sizeof({}) == {})", name, structure.size);
  std::string parameters;
  std::string assignments;
  for (const StructField& field : structure.fields) {
    members += fmt::format(" {} {};", name_of(field.type), field.name);
    layout += fmt::format(" & (FIELD_OFFSET({}, {}) == {})", name, field.name, field.offset);
    parameters +=
        fmt::format("{}{} {}", parameters.empty() ? "" : ", ", name_of(field.type), field.name);
    assignments += fmt::format(" made.{0} = {0};", field.name);
  }
  text += fmt::format(
      "typedef struct {{{1} }} {0};\ntypedef char {0}_layout[({2}) ? 1 : -1];\n"
      "DEVICE {0} make_{0}({3}) {{ {0} made;{4} return made; }}\n",
      name, members, layout, parameters, assignments);
}

void append_types(std::string& text, const KernelSpec& spec) {
  std::vector<Type> structs;
  for (const Type type : {spec.input, spec.accumulator, spec.output}) {
    if (type.is_struct() && std::find(structs.begin(), structs.end(), type) == structs.end()) {
      append_struct(text, *type.structure());
      structs.push_back(type);
    }
  }
  const std::pair<std::string_view, Type> names[] = {
      {"IN", spec.input}, {"ACC", spec.accumulator}, {"OUT", spec.output}};
  for (const auto& [word, type] : names) {
    text += fmt::format("typedef {1} {0};\n#define {0}_NAME {1}\n", word, name_of(type));
  }
  if (spec.count) text += fmt::format("typedef {} COUNT_TYPE;\n", name_of(*spec.count));
}

/// `value` as an expression; its bits, so that NaN, -0 and infinity are meant.
std::string literal(Type type, const std::byte* value) {
  if (type.is_struct()) {
    std::string fields;
    for (const StructField& field : type.structure()->fields) {
      fields += (fields.empty() ? "" : ", ") + literal(field.type, value + field.offset);
    }
    return fmt::format("make_{}({})", name_of(type), fields);
  }
  return fmt::format("{}_of_bits(({}){:#x})", name_of(type), unsigned_of(type),
                     Value::from_bytes(type, value).bits());
}

/// A function of one expression, which stands on a line of its own: so a compiler names the
/// operator or map, and the column in the user's text.
std::string function(std::string_view signature, Type result, std::string_view origin,
                     std::string_view expression) {
  const std::string cast = result.is_struct() ? "" : "(ACC)";
  return fmt::format(
      "DEVICE ACC {} {{\n  return {}(\n#line 1 \"{}\"\n{}\n#line 1 \"generated\"\n  );\n}}\n",
      signature, cast, origin, expression);
}

void append_operator(std::string& text, const KernelSpec& spec) {
  const Type accumulator = spec.accumulator;
  text += function("COMBINE(ACC a, ACC b)", accumulator, fmt::format("operator {}", spec.op.name()),
                   spec.op.expression(accumulator));
  if (!spec.map.is_identity()) {
    const bool decides = is_logical(spec.op.kind());
    text += function("mapped(IN x)", accumulator, "map",
                     decides ? fmt::format("({}) != 0", spec.map.expression())
                             : std::string(spec.map.expression()));
    text += "#define LIFT(x) mapped(x)\n";
  } else if (accumulator.is_struct()) {
    text += "#define LIFT(x) (x)\n";
  } else {
    text +=
        fmt::format("#define LIFT(x) ((ACC)({}))\n", is_logical(spec.op.kind()) ? "(x) != 0" : "x");
  }
  // An initial value counts as what an element of the accumulator's type would.
  text += fmt::format("#define LIFT_INIT(x) {}\n",
                      is_logical(spec.op.kind()) ? "((ACC)((x) != 0))" : "(x)");
  text += fmt::format("#define TO_OUT(x) {}\n", spec.output.is_struct() ? "(x)" : "((OUT)(x))");
  text += fmt::format("#define IDENTITY {}\n",
                      literal(accumulator, spec.op.identity(accumulator).data()));
}

/// Not every compiler repeats the names of `#line`, so the text as a whole bears those of the user.
std::string described(std::string_view file, const KernelSpec& spec) {
  std::string name(file);
  if (spec.op.kind() == OperatorKind::user) name += fmt::format(" for operator {}", spec.op.name());
  if (!spec.map.is_identity()) name += fmt::format(" with map {}", spec.map.expression());
  return name;
}

}  // namespace

backend::Source kernel_source(const backend::Device& device, const KernelSpec& spec) {
  std::string text;
  append_file(text, device, "types");
  if (uses_f64(spec)) append_file(text, device, "types_f64");

  auto defines = spec.defines;
  std::sort(defines.begin(), defines.end());
  text += "#line 1 \"generated\"\n";
  for (const auto& [name, value] : defines) text += fmt::format("#define {} {}\n", name, value);
  append_types(text, spec);
  append_file(text, device, "words");
  text += "#line 1 \"generated\"\n";
  append_operator(text, spec);

  for (const std::string& file : spec.prelude) append_file(text, device, file);
  append_file(text, device, spec.family);

  return {described(fmt::format("{}{}", spec.family, device.kernel_suffix()), spec),
          std::move(text), device.compile_options()};
}

}  // namespace bifold::core
