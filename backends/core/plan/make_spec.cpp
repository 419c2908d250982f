#include "core/plan/make_spec.hpp"

#include <algorithm>

#include "core/text/expression_text.hpp"
#include "core/tuning/parameters.hpp"

namespace bifold::core {

namespace {

std::uint32_t vector_width(bool stores, const PlanShape& shape, const Tuning& tuning) {
  if (shape.input.is_struct() || (stores && shape.output.is_struct())) return 1;
  const std::size_t widest = std::max(size_of(shape.input), stores ? size_of(shape.output) : 1);
  return std::max(1U, tuning.vector_bytes.value() / static_cast<std::uint32_t>(widest));
}

}  // namespace

void add_scalars(const Request& request, KernelSpec& spec) {
  const PlanShape& shape = request.shape;
  for (std::size_t i = 0; i < shape.scalars.size(); ++i) {
    const ScalarType& declared = shape.scalars[i].declared;
    const auto names = [&](std::span<const ScalarType> scalars, std::string_view text) {
      return std::any_of(scalars.begin(), scalars.end(),
                         [&](const ScalarType& one) { return one.name == declared.name; }) &&
             uses_word(text, declared.name);
    };
    if (names(spec.map.scalars(), spec.map.expression()) ||
        names(spec.result_map.scalars(), spec.result_map.expression()) ||
        std::any_of(spec.more_outputs.begin(), spec.more_outputs.end(),
                    [&](const OutputShape& output) {
                      return names(output.result_map.scalars(), output.result_map.expression());
                    }) ||
        (!spec.op.scalars().empty() &&
         names(spec.op.scalars(), spec.op.expression(spec.accumulator)))) {
      spec.scalars.add({declared.name, declared.type, i, shape.scalars[i].on_device});
    }
  }
}

std::uint32_t vector_width(const Row& row, const PlanShape& shape, const Tuning& tuning) {
  return vector_width(row.recipe.stores_vectors, shape, tuning);
}

KernelSpec make_spec(const Request& request, const KernelPart& kernel, const Tuning& tuning,
                     std::string_view entry, std::span<const ForcedPart> forced) {
  const PlanShape& shape = request.shape;
  KernelSpec spec;
  spec.family = kernel.family;
  spec.entry = entry;
  spec.input = shape.input;
  spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  spec.map = shape.map;
  spec.result_map = shape.result_map;
  spec.more_outputs = shape.more_outputs;
  spec.second = shape.second;
  if (shape.selection && shape.selection->by_runs) spec.second = shape.input;
  if (stores_values(shape)) {
    spec.values = shape.more_inputs.front();
  } else {
    spec.more_inputs = shape.more_inputs;
  }
  spec.keeps_elements = shape.selection && !shape.selection->indices;
  spec.swapped = shape.reverse;
  spec.may_go = request.may_go;
  add_scalars(request, spec);
  add_parts({.request = request,
             .algorithm = kernel.algorithm,
             .by_vectors = kernel.by_vectors,
             .loads_again = tuning.loads_of_tile.value_or(1) > 1,
             .forced = forced},
            spec);
  if (tuning.group_size) spec.group_size = *tuning.group_size;
  spec.groups_held = kernel.groups_held;
  spec.held_by_option = kernel.held_by_option;
  if (tuning.vector_bytes) spec.vector_width = vector_width(kernel.stores_vectors, shape, tuning);
  for (const Parameter& parameter : parameters()) {
    const Tuning::Value& value = tuning.*parameter.member;
    if (value && !parameter.define.empty()) spec.defines.emplace_back(parameter.define, *value);
  }
  spec.defines.emplace_back("INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0);
  return spec;
}

KernelSpec make_spec(const Request& request, const Row& row, const Tuning& tuning,
                     std::string_view entry, std::span<const ForcedPart> forced) {
  return make_spec(request,
                   {.algorithm = row.variant.algorithm,
                    .family = row.variant.family,
                    .by_vectors = row.variant.requirements.vectors,
                    .stores_vectors = row.recipe.stores_vectors},
                   tuning, entry, forced);
}

}  // namespace bifold::core
