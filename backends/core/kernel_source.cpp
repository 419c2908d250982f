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
  return spec.input == Type::f64 || spec.accumulator == Type::f64 || spec.output == Type::f64;
}

void append_file(std::string& text, const backend::Device& device, std::string_view name) {
  text +=
      fmt::format("#line 1 \"{}{}\"\n{}\n", name, device.kernel_suffix(), device.kernel_file(name));
}

void append_types(std::string& text, const KernelSpec& spec) {
  const std::pair<std::string_view, Type> names[] = {
      {"IN", spec.input}, {"ACC", spec.accumulator}, {"OUT", spec.output}};
  for (const auto& [word, type] : names) {
    text += fmt::format("typedef {1} {0};\n#define {0}_NAME {1}\n", word, name_of(type));
  }
  const std::string_view accumulator = name_of(spec.accumulator);
  text += fmt::format(
      "typedef {0} BITS;\n#define ACC_BITS(x) bits_of_{1}(x)\n#define ACC_OF_BITS(b) "
      "{1}_of_bits(b)\n",
      unsigned_of(spec.accumulator), accumulator);
  // Registers are exchanged in 32-bit halves at least.
  text += fmt::format("typedef {} LANE_WORD;\n", size_of(spec.accumulator) == 8 ? "u64" : "u32");
}

void append_operator(std::string& text, const KernelSpec& spec) {
  // The expression stands on a line of its own, so that a compiler names the operator and the
  // column in the user's text.
  text += fmt::format(
      "DEVICE ACC COMBINE(ACC a, ACC b) {{\n  return (ACC)(\n#line 1 \"operator {}\"\n{}\n"
      "#line 1 \"generated\"\n  );\n}}\n",
      spec.op.name(), spec.op.expression(spec.accumulator));
  text +=
      fmt::format("#define LIFT(x) ((ACC)({}))\n", is_logical(spec.op.kind()) ? "(x) != 0" : "x");
  text += "#define TO_OUT(x) ((OUT)(x))\n";
  text += fmt::format("#define IDENTITY ACC_OF_BITS((BITS){:#x})\n",
                      spec.op.identity(spec.accumulator).bits());
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
  append_operator(text, spec);

  for (const std::string& file : spec.prelude) append_file(text, device, file);
  append_file(text, device, spec.family);

  return {std::string(spec.family) + std::string(device.kernel_suffix()), std::move(text),
          device.compile_options()};
}

}  // namespace bifold::core
