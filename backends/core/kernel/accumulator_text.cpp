#include "core/kernel/accumulator_text.hpp"

#include <span>

#include "core/base/format.hpp"
#include "core/element/accumulator.hpp"
#include "core/operators/operator_text.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_types.hpp"

namespace bifold::core {

void append_accumulator(std::string& text, const KernelSpec& spec) {
  if (spec.op.has_identity()) {
    text += "typedef VALUE ACC;\n#define ADJOINED(x) (x)\n#define VALUE_OF(x) (x)\n";
    return;
  }
  text += formatted(
      "typedef struct {{ VALUE value; u32 present; }} ACC;\n"
      "typedef char ACC_layout[sizeof(ACC) == {} ? 1 : -1];\n"
      "DEVICE ACC adjoined(VALUE x) {{ ACC made; made.value = x; made.present = 1; return made; "
      "}}\n"
      "#define ADJOINED(x) adjoined(x)\n#define VALUE_OF(x) ((x).value)\n",
      AccumulatorLayout(spec.op, spec.accumulator).bytes);
}

std::string_view inline_hint(const KernelSpec& spec) {
  return spec.takes_fields ? "__attribute__((always_inline, flatten)) " : "";
}

void append_vectors(std::string& text, const KernelSpec& spec) {
  const OperatorKind kind = spec.op.kind();
  const bool compares = kind == OperatorKind::minimum || kind == OperatorKind::maximum;
  const bool as_they_are = compares || is_floating(spec.accumulator);
  const std::string_view lane =
      as_they_are ? name_of(spec.accumulator) : unsigned_of(spec.accumulator);
  text += formatted(
      "#define VECTOR_LANES {0}\n#define LANE_NAME {1}\n"
      "typedef {1} Lane;\ntypedef VECTOR({1}, {0}) Vector;\n"
      "DEVICE Vector COMBINE_VECTORS(Vector a, Vector b) {{ return {2}; }}\n",
      spec.vector_lanes, lane, builtin_vector_expression(kind, "a", "b"));
}

void append_fields(std::string& text, const KernelSpec& spec, OperatorKind kind) {
  const std::span<const StructField> fields = spec.accumulator.structure()->fields;
  const Type field = fields.front().type;
  text += formatted(
      "#define FIELDS {0}\ntypedef {1} FIELD;\n"
      "DEVICE FIELD COMBINE_FIELDS(FIELD a, FIELD b) {{ return (FIELD)({2}); }}\n",
      fields.size(), name_of(field), builtin_expression(kind, field, "a", "b"));
}

void append_field_access(std::string& text, const KernelSpec& spec) {
  std::string read;
  std::string written;
  for (const StructField& field : spec.accumulator.structure()->fields) {
    const std::string member = formatted("{}{}", field_prefix, field.name);
    read += formatted("{}place->{}", read.empty() ? "" : ", ", member);
    written += formatted(" place->{0} = value.{0};", member);
  }
  text += formatted(
      "DEVICE ACC fields_of(const ACC* place) {{ return {}{}({}); }}\n"
      "DEVICE void put_fields(ACC* place, ACC value) {{{} }}\n",
      maker_prefix, spec.accumulator.structure()->name, read, written);
}

}  // namespace bifold::core
