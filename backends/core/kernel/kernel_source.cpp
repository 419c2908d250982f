#include "core/kernel/kernel_source.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <functional>
#include <span>

#include "core/base/format.hpp"
#include "core/element/accumulator.hpp"
#include "core/kernel/accumulator_text.hpp"
#include "core/kernel/part_list.hpp"
#include "core/operators/operator_text.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_types.hpp"

namespace bifold::core {

namespace {

/// What the operator and the maps are in kernels.
struct Texts {
  WrittenText op;
  WrittenText map;                        ///< Empty for the identity.
  WrittenText result;                     ///< The same.
  std::vector<WrittenText> more_results;  ///< The same.

  [[nodiscard]] bool any(const std::function<bool(const WrittenText&)>& of) const {
    return of(op) || of(map) || of(result) || std::ranges::any_of(more_results, of);
  }
};

std::vector<Type> arrays_of(const KernelSpec& spec) {
  std::vector<Type> types{spec.input};
  if (spec.second) types.push_back(*spec.second);
  types.insert(types.end(), spec.more_inputs.begin(), spec.more_inputs.end());
  return types;
}

Texts texts_of(const KernelSpec& spec) {
  Texts texts{operator_text(spec.op, spec.accumulator), {}, {}, {}};
  if (!spec.map.is_identity()) {
    texts.map =
        map_text(spec.map.expression(), arrays_of(spec), spec.accumulator, spec.map.scalars());
  }
  const auto result = [&spec](Type type, const ResultMap& map) {
    return map.is_identity() ? WrittenText{}
                             : result_text(map.expression(), spec.accumulator, type, map.scalars());
  };
  texts.result = result(spec.output, spec.result_map);
  for (const OutputShape& output : spec.more_outputs) {
    texts.more_results.push_back(result(output.type, output.result_map));
  }
  return texts;
}

/// The type of what is rounded to an output's.
Type type_to_store(const KernelSpec& spec, const ResultMap& map, const WrittenText& text) {
  return map.is_identity() ? spec.accumulator : known_type(text.type);
}

bool uses_f64(const KernelSpec& spec, const Texts& texts) {
  return texts.any([](const WrittenText& text) { return text.has_f64; }) ||
         contains(spec.accumulator, Type::f64) || contains(spec.output, Type::f64) ||
         (spec.values && contains(*spec.values, Type::f64)) ||
         std::ranges::any_of(arrays_of(spec),
                             [](Type type) { return contains(type, Type::f64); }) ||
         std::ranges::any_of(
             spec.more_outputs,
             [](const OutputShape& output) { return contains(output.type, Type::f64); }) ||
         std::ranges::any_of(spec.scalars.all,
                             [](const KernelScalar& one) { return contains(one.type, Type::f64); });
}

bool stores(const KernelSpec& spec, Type type) {
  return spec.output == type || spec.values == type ||
         std::ranges::count(arrays_of(spec), type) > 0 ||
         std::ranges::any_of(spec.more_outputs,
                             [type](const OutputShape& output) { return output.type == type; }) ||
         std::ranges::any_of(spec.scalars.all, [type](const KernelScalar& one) {
           return one.on_device && one.type == type;
         });
}

/// Whether an f64 is rounded to a storage type.
bool narrows_f64(const KernelSpec& spec, const Texts& texts) {
  const auto narrows = [&spec](Type type, const ResultMap& map, const WrittenText& text) {
    return is_storage(type) && type_to_store(spec, map, text) == Type::f64;
  };
  if (narrows(spec.output, spec.result_map, texts.result)) return true;
  if (spec.keeps_elements && is_storage(spec.output) && spec.input == Type::f64) return true;
  if (spec.values == Type::f64 && is_storage(spec.more_outputs.front().type)) return true;
  for (std::size_t k = 0; k < spec.more_outputs.size(); ++k) {
    const OutputShape& output = spec.more_outputs[k];
    if (narrows(output.type, output.result_map, texts.more_results[k])) return true;
  }
  return false;
}

/// The element `x` as a value to compute with.
std::string loaded(Type type, std::string_view x) {
  return is_storage(type) ? formatted("f32_of_{}({})", name_of(type), x) : std::string(x);
}

/// The value `x` of the type `from` as an element of `type`, which `word` names, rounded once.
std::string stored(Type from, Type type, std::string_view word, std::string_view x) {
  if (type.is_struct()) return std::string(x);
  if (!is_storage(type)) return formatted("(({}){})", word, x);
  const std::string_view narrowed = from == Type::f64 ? "odd_f32_of_f64" : "";
  return formatted("{}_of_f32({}({}))", name_of(type), narrowed, x);
}

void append_part(std::string& text, const backend::Device& device, std::string_view name) {
  text += formatted("#line 1 \"{}{}\"\n{}\n", name, device.kernel_suffix(),
                    part_body(device.kernel_file(name)));
}

/// OUT_WHOLE: words as long as a struct, or as a vector of VEC, that are stored at once, if there
/// are such. One that has padding is stored as its fields.
void append_whole(std::string& text, const KernelSpec& spec) {
  if (has_padding(spec.output)) return;
  const std::size_t count = spec.vector_width.value_or(1);
  for (const std::string_view words : {"u16", "u32", "uint2", "uint4"}) {
    const std::size_t bytes = words == "u16" ? 2 : words == "u32" ? 4 : words == "uint2" ? 8 : 16;
    if (bytes == count * size_of(spec.output)) text += formatted("#define OUT_WHOLE {}\n", words);
  }
}

/// The types of arrays behind the second one, and EACH_MORE_INPUT(DO): DO(2) DO(3).
void append_more_inputs(std::string& text, const KernelSpec& spec) {
  if (spec.more_inputs.empty()) return;
  std::string each;
  for (std::size_t k = 0; k < spec.more_inputs.size(); ++k) {
    text += formatted("typedef {} IN_{};\n", kernel_name(spec.more_inputs[k]), k + 2);
    each += formatted(" DO({})", k + 2);
  }
  text += formatted("#define EACH_MORE_INPUT(DO){}\n", each);
}

void append_types(std::string& text, const KernelSpec& spec) {
  std::vector<Type> types{spec.input, spec.accumulator, spec.output,
                          spec.second.value_or(spec.input)};
  for (const OutputShape& output : spec.more_outputs) types.push_back(output.type);
  types.insert(types.end(), spec.more_inputs.begin(), spec.more_inputs.end());
  if (spec.values) types.push_back(*spec.values);
  std::vector<Type> structs;
  for (const KernelScalar& one : spec.scalars.all) types.push_back(one.type);
  for (const Type type : types) {
    if (type.is_struct() && std::find(structs.begin(), structs.end(), type) == structs.end()) {
      append_struct(text, type);
      structs.push_back(type);
    }
  }
  const auto name = [&text](std::string_view word, Type type) {
    text += formatted("typedef {1} {0};\n#define {0}_NAME {1}\n", word, kernel_name(type));
  };
  name("IN", spec.input);
  name("VALUE", spec.accumulator);
  name("OUT", spec.output);
  if (spec.output.is_struct()) append_whole(text, spec);
  if (spec.second) name("SECOND", *spec.second);
  if (spec.values) name("VALUES", *spec.values);
  append_more_inputs(text, spec);
  if (!spec.input.is_struct()) {
    text += formatted("#define IN_OF_BITS(bits) {}_of_bits(bits)\n", name_of(spec.input));
  }
  append_accumulator(text, spec);
  if (spec.count) text += formatted("typedef {} COUNT_TYPE;\n", name_of(*spec.count));
  if (spec.line_count) {
    text += formatted("typedef {} LINE_COUNT_TYPE;\n", name_of(*spec.line_count));
  }
  if (spec.bounds) text += formatted("typedef {} BOUND;\n", name_of(*spec.bounds));
  if (!spec.scalars.all.empty()) append_scalars(text, spec.scalars);
}

/// A function of one expression, which stands on a line of its own: so a compiler names the
/// operator or map.
std::string function(std::string_view signature, Type result, std::string_view name,
                     std::string_view origin, std::string_view expression,
                     std::string_view hint = "") {
  const std::string cast = result.is_struct() ? "" : formatted("({})", name);
  return formatted(
      "DEVICE {}{} {} {{\n  return {}(\n#line 1 \"{}\"\n{}\n#line 1 \"generated\"\n  );\n}}\n",
      hint, name, signature, cast, origin, expression);
}

/// COMBINE and IDENTITY.
void append_operator(std::string& text, const KernelSpec& spec, const WrittenText& op) {
  const Type accumulator = spec.accumulator;
  const std::string origin = formatted("operator {}", spec.op.name());
  const std::string_view operands = spec.swapped ? "(VALUE b, VALUE a)" : "(VALUE a, VALUE b)";
  if (spec.op.has_identity()) {
    text += function(formatted("COMBINE{}", operands), accumulator, "VALUE", origin, op.text,
                     inline_hint(spec));
    text += formatted("#define IDENTITY {}\n",
                      kernel_value(accumulator, spec.op.identity(accumulator).data()));
    return;
  }
  text += function(formatted("combined{}", operands), accumulator, "VALUE", origin, op.text);
  text +=
      "DEVICE ACC COMBINE(ACC a, ACC b) {\n"
      "  if (a.present == 0) return b;\n"
      "  if (b.present != 0) a.value = combined(a.value, b.value);\n"
      "  return a;\n}\n";
  const std::array<std::byte, max_element_bytes> zeros{};
  text += formatted(
      "DEVICE ACC absent(void) {{ ACC made = adjoined({}); made.present = 0; return made; }}\n"
      "#define IDENTITY absent()\n",
      kernel_value(accumulator, zeros.data()));
}

/// What makes an accumulator of elements and initial values. Rows that take neither indices nor
/// pairs know LIFT only.
void append_lifts(std::string& text, const KernelSpec& spec, const WrittenText& map) {
  const bool decides = is_logical(spec.op.kind());
  if (!spec.map.is_identity()) {
    const bool indexed = uses_word(spec.map.expression(), "i");
    const bool all = !spec.more_inputs.empty();
    std::string parameters = formatted("{} x", kernel_name(accumulator_of(spec.input)));
    std::string arguments = loaded(spec.input, all ? "(e).x" : "x");
    if (spec.second) {
      parameters += formatted(", {} y", kernel_name(accumulator_of(*spec.second)));
      arguments += ", " + loaded(*spec.second, all ? "(e).y" : "y");
    }
    for (std::size_t k = 0; k < spec.more_inputs.size(); ++k) {
      const Type type = spec.more_inputs[k];
      parameters += formatted(", {} {}", kernel_name(accumulator_of(type)), input_names[k + 2]);
      arguments += ", " + loaded(type, formatted("(e).more_{}", k + 2));
    }
    if (indexed) {
      parameters += ", u64 i";
      arguments += ", i";
    }
    text += function(formatted("mapped({})", parameters), spec.accumulator, "VALUE", "map",
                     decides ? formatted("({}) != 0", map.text) : map.text, inline_hint(spec));
    const std::string lifted = formatted("ADJOINED(mapped({}))\n", arguments);
    if (all) {
      text += "#define LIFT_ALL(e, i) " + lifted;
    } else if (spec.second) {
      text += "#define LIFT_PAIR(x, y, i) " + lifted;
    } else {
      if (!indexed) text += "#define LIFT(x) " + lifted;
      text += "#define LIFT_AT(x, i) " + lifted;
    }
  } else {
    const std::string x = loaded(spec.input, "(x)");
    const std::string value =
        decides ? formatted("(VALUE)({} != 0)", x) : formatted("(VALUE){}", x);
    text += formatted("#define LIFT(x) ADJOINED({})\n#define LIFT_AT(x, i) LIFT(x)\n",
                      spec.accumulator.is_struct() ? "x" : value);
  }
  // An initial value counts as what an element of the accumulator's type would.
  text += formatted("#define LIFT_INIT(x) ADJOINED({})\n", decides ? "(VALUE)((x) != 0)" : "x");
}

/// What makes an output of an accumulator: number `suffix` of several.
void append_result(std::string& text, const KernelSpec& spec, const OutputShape& output,
                   const WrittenText& made, std::string_view suffix) {
  const Type type = type_to_store(spec, output.result_map, made);
  std::string value = "VALUE_OF(x)";
  if (!output.result_map.is_identity()) {
    text += function(formatted("result_of{}(VALUE s)", suffix), type, kernel_name(type),
                     "result map", made.text, inline_hint(spec));
    value = formatted("result_of{}(VALUE_OF(x))", suffix);
  }
  text += formatted("#define TO_OUT{}(x) {}\n", suffix,
                    stored(type, output.type, formatted("OUT{}", suffix), value));
}

/// The same of all outputs, and for those beside the first EACH_MORE_OUTPUT(DO): DO(1) DO(2), and
/// what stores a result in each. There TO_OUT_1 stands in full, so that its scalars are seen.
void append_results(std::string& text, const KernelSpec& spec, const Texts& texts) {
  append_result(text, spec, {spec.output, spec.result_map}, texts.result, "");
  if (spec.more_outputs.empty()) return;
  std::string each;
  std::string put;
  for (std::size_t k = 0; k < spec.more_outputs.size(); ++k) {
    const OutputShape& output = spec.more_outputs[k];
    text += formatted("typedef {} OUT_{};\n", kernel_name(output.type), k + 1);
    append_result(text, spec, output, texts.more_results[k], formatted("_{}", k + 1));
    each += formatted(" DO({})", k + 1);
    put += formatted("{0}(outputs).more_{1}[i] = TO_OUT_{1}(value)", k == 0 ? "" : "; ", k + 1);
  }
  text +=
      formatted("#define EACH_MORE_OUTPUT(DO){}\n#define PUT_MORE_RESULTS(outputs, i, value) {}\n",
                each, put);
}

/// KEEP: what a selection stores of an element; KEEP_VALUE: of a value beside it.
void append_kept(std::string& text, const KernelSpec& spec) {
  const auto define = [&text](std::string_view name, Type from, Type to, std::string_view word) {
    const std::string kept =
        from == to ? "(x)" : stored(accumulator_of(from), to, word, loaded(from, "(x)"));
    text += formatted("#define {}(x) {}\n", name, kept);
  };
  define("KEEP", spec.input, spec.output, "OUT");
  if (spec.values) define("KEEP_VALUE", *spec.values, spec.more_outputs.front().type, "OUT_1");
}

/// Not every compiler repeats the names of `#line`, so the text as a whole bears those of the user.
std::string described(std::string_view file, const KernelSpec& spec) {
  std::string name(file);
  if (spec.op.kind() == OperatorKind::user) name += formatted(" for operator {}", spec.op.name());
  const auto add = [&name](std::string_view what, std::string_view expression) {
    constexpr std::size_t most = 80;
    if (expression.empty()) return;
    name += formatted(" with {} {}{}", what, expression.substr(0, most),
                      expression.size() > most ? "..." : "");
  };
  add("map", spec.map.expression());
  add("result map", spec.result_map.expression());
  for (const OutputShape& output : spec.more_outputs) {
    add("result map", output.result_map.expression());
  }
  return name;
}

}  // namespace

bool has_padding(Type type) {
  if (!type.is_struct()) return false;
  std::size_t fields = 0;
  for (const StructField& field : type.structure()->fields) fields += size_of(field.type);
  return fields != size_of(type);
}

std::optional<OperatorKind> field_operator(const Operator& op, Type type) {
  if (!type.is_struct() || has_padding(type)) return {};
  const std::span<const StructField> fields = type.structure()->fields;
  const Type field = fields.front().type;
  const auto other = [&](const StructField& one) { return one.type != field; };
  if (is_storage(field) || std::any_of(fields.begin(), fields.end(), other)) return {};
  for (const OperatorKind kind : {OperatorKind::plus, OperatorKind::multiplies,
                                  OperatorKind::minimum, OperatorKind::maximum}) {
    const std::vector<Operator> all(fields.size(), Operator(kind));
    if (op == Operator::fieldwise(type, all)) return kind;
  }
  return {};
}

std::vector<std::string_view> type_parts(const KernelSpec& spec) {
  const Texts texts = texts_of(spec);
  const auto calls = [&](bool WrittenText::*functions) {
    return texts.any([functions](const WrittenText& text) { return text.*functions; });
  };
  const auto names_word = [&](std::string_view word) {
    return texts.any([word](const WrittenText& text) { return uses_word(text.text, word); });
  };
  std::vector<std::string_view> names{"types"};
  if (names_word("minimum_f32") || names_word("maximum_f32")) names.emplace_back("extrema");
  if (names_word("comes_before_f32") || names_word("comes_behind_f32")) {
    names.emplace_back("comparisons");
  }
  if (names_word("rounding_of_sum_f32")) names.emplace_back("rounding_of_sum_f32");
  if (uses_f64(spec, texts)) names.emplace_back("types_f64");
  if (names_word("minimum_f64") || names_word("maximum_f64")) names.emplace_back("extrema_f64");
  if (names_word("comes_before_f64") || names_word("comes_behind_f64")) {
    names.emplace_back("comparisons_f64");
  }
  if (names_word("rounding_of_sum_f64")) names.emplace_back("rounding_of_sum_f64");
  for (const std::string_view part :
       {"exponential_f32", "logarithm_f32", "exponential_f64", "logarithm_f64"}) {
    if (names_word(part)) names.push_back(part);
  }
  if (narrows_f64(spec, texts)) names.emplace_back("odd_f32_of_f64");
  if (stores(spec, Type::f16)) names.emplace_back("f16_conversions");
  if (stores(spec, Type::bf16)) names.emplace_back("bf16_conversions");
  if (spec.scalars.any_on_device()) names.emplace_back("scalars");
  if (calls(&WrittenText::integer_functions)) names.emplace_back("functions_integers");
  if (calls(&WrittenText::f32_functions)) names.emplace_back("functions_f32");
  if (calls(&WrittenText::f64_functions)) names.emplace_back("functions_f64");
  return names;
}

backend::Source kernel_source(const backend::Device& device, const KernelSpec& spec) {
  const Texts texts = texts_of(spec);
  std::string text;
  const auto parts = std::span<const std::string>(spec.parts);
  for (const std::string& part : parts.first(spec.type_parts)) append_part(text, device, part);

  Defines defines = spec.defines;
  if (spec.group_size) defines.emplace_back("GROUP_SIZE", *spec.group_size);
  if (spec.vector_width) defines.emplace_back("VEC", *spec.vector_width);
  std::string options = device.compile_options();
  if (spec.groups_held) {
    defines.emplace_back("GROUPS_HELD", *spec.groups_held);
    if (spec.held_by_option) {
      options += device.options_to_hold(*spec.groups_held, spec.group_size.value_or(1));
    }
  }
  std::sort(defines.begin(), defines.end());
  text += "#line 1 \"generated\"\n";
  for (const auto& [name, value] : defines) text += formatted("#define {} {}\n", name, value);
  append_types(text, spec);
  append_operator(text, spec, texts.op);
  append_lifts(text, spec, texts.map);
  append_results(text, spec, texts);
  if (spec.keeps_elements) append_kept(text, spec);
  if (spec.vector_lanes > 0) append_vectors(text, spec);
  if (spec.takes_fields) append_field_access(text, spec);
  if (spec.field_operator) append_fields(text, spec, *spec.field_operator);

  for (const std::string& part : parts.subspan(spec.type_parts)) append_part(text, device, part);

  if (!spec.scalars.all.empty()) text = with_scalars(text, spec.scalars);

  return {described(formatted("{}{}", spec.family, device.kernel_suffix()), spec), std::move(text),
          std::move(options)};
}

}  // namespace bifold::core
