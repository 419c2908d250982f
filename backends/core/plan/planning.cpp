#include "core/plan/planning.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <limits>
#include <utility>

#include "core/base/log.hpp"
#include "core/device/state.hpp"
#include "core/element/struct_types.hpp"
#include "core/gallery/gallery_rows.hpp"
#include "core/text/operator_text.hpp"

namespace bifold::core {

namespace {

void check_conversion(Type from, Type to, const char* what) {
  if (from == to) return;
  if (from.is_struct() || to.is_struct()) {
    throw Error(ErrorCategory::invalid_argument, std::string(what) + ": only a map makes " +
                                                     std::string(name_of(to)) + " of " +
                                                     std::string(name_of(from)));
  }
  if (is_storage(to) && !is_floating(from)) {
    throw Error(ErrorCategory::invalid_argument,
                std::string(what) + ": " + std::string(name_of(to)) +
                    " is rounded from f32 or f64, not from " + std::string(name_of(from)));
  }
  if (is_floating(from) && !is_floating(to)) {
    throw Error(ErrorCategory::invalid_argument,
                std::string(what) + ": " + std::string(name_of(from)) +
                    " does not convert to an integer type such as " + std::string(name_of(to)));
  }
}

// Storage types are what elements are read from and rounded to, and nothing else.
void check_storage(const PlanShape& shape) {
  if (is_storage(shape.accumulator)) {
    throw Error(ErrorCategory::invalid_argument,
                "no values of " + std::string(name_of(shape.accumulator)) +
                    " are accumulated: the accumulator of such elements is f32 or f64");
  }
}

// Kernels know a struct by its name.
void check_struct_names(const PlanShape& shape) {
  const std::array types{shape.input, shape.accumulator, shape.output,
                         shape.second.value_or(shape.input)};
  for (const Type left : types) {
    for (const Type right : types) {
      if (!left.is_struct() || !right.is_struct() || left == right) continue;
      if (name_of(left) != name_of(right)) continue;
      throw Error(ErrorCategory::invalid_argument,
                  "two different structs are called " + std::string(name_of(left)));
    }
  }
}

void check_shape(const PlanShape& shape) {
  check_storage(shape);
  check_struct_names(shape);
  const std::string_view map = shape.map.expression();
  if (shape.second && shape.map.is_identity()) {
    throw Error(ErrorCategory::invalid_argument, "two arrays want a map of x and y");
  }
  if (shape.map.is_identity() && !is_logical(shape.op.kind())) {
    check_conversion(shape.input, shape.accumulator, "input to accumulator");
  }
  check_conversion(shape.accumulator, shape.output, "accumulator to output");
  if (!shape.map.is_identity()) {
    static_cast<void>(map_text(map, shape.input, shape.second, shape.accumulator));
  }
  if (!shape.op.supports(shape.accumulator)) {
    throw Error(ErrorCategory::invalid_argument, "operator " + std::string(shape.op.name()) +
                                                     " is not defined on " +
                                                     std::string(name_of(shape.accumulator)));
  }
  const std::optional<Type>& count = shape.on_device.count;
  if (count && *count != Type::u32 && *count != Type::u64) {
    throw Error(ErrorCategory::invalid_argument,
                "a count in device memory is u32 or u64, not " + std::string(name_of(*count)));
  }
}

}  // namespace

Value lift(const Operator& op, const Value& init) {
  if (!is_logical(op.kind())) return init;
  return visit_type(init.type(), [&init](auto zero) -> Value {
    using T = decltype(zero);
    return static_cast<T>(init.as<T>() != T{0});
  });
}

PlanShape to_accumulators(PlanShape shape) {
  shape.output = shape.accumulator;
  shape.on_device.init = false;
  return shape;
}

Value convert(const Value& value, Type to) {
  if (value.type() == to) return value;
  return visit_scalar_type(value.type(), [&](auto from) -> Value {
    return visit_scalar_type(to, [&](auto zero) -> Value {
      return static_cast<decltype(zero)>(value.as<decltype(from)>());
    });
  });
}

std::uint32_t pack_width(const gallery::Variant& variant, const PlanShape& shape,
                         const Tuning& tuning) {
  const std::vector<std::string_view>& prelude = recipe_of(variant).prelude;
  const bool stores = std::find(prelude.begin(), prelude.end(), "packs_out") != prelude.end();
  if (shape.input.is_struct() || (stores && shape.output.is_struct())) return 1;
  const std::size_t widest = std::max(size_of(shape.input), stores ? size_of(shape.output) : 1);
  return std::max(1U, tuning.get("pack_bytes") / static_cast<std::uint32_t>(widest));
}

std::uint64_t span_of(const gallery::Variant& variant, const PlanShape& shape,
                      const Tuning& tuning) {
  std::uint64_t span = tuning.get("GROUP_SIZE");
  for (const std::string_view factor : {"PER_ITEM", "COARSE_FACTOR", "UNROLL", "ROWS"}) {
    span *= tuning.get_or(factor, 1);
  }
  return tuning.get_or("pack_bytes", 0) > 0 ? span * pack_width(variant, shape, tuning) : span;
}

Turns turns_of_groups(const Tuning& tuning, std::uint64_t span) {
  return turns_per_span(divide_up(span, tuning.get("GROUP_SIZE")));
}

std::uint32_t stripes_of(const PlanShape& shape, const Tuning& tuning) {
  // An operator that does not commute gets one accumulator.
  return shape.op.commutative() ? tuning.get("STRIPES") : 1;
}

std::uint64_t max_groups(const Device& device, const Tuning& tuning) {
  constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t fixed = tuning.get_or("groups", unlimited);
  if (fixed != unlimited) return fixed;
  const std::uint32_t per_unit = tuning.get_or("groups_per_unit", unlimited);
  if (per_unit == unlimited) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{device.capabilities().compute_units} * per_unit;
}

PlannedKernel build_chunk_reduction(const Device& device, const PlanShape& shape,
                                    const Tuning& tuning) {
  const gallery::Variant& row = *gallery::find(Algorithm::reduce, "chunks");
  PlanShape reduction = shape;
  reduction.output = shape.accumulator;
  reduction.kind = ScanKind::inclusive;
  const Tuning values{{"STRIPES", stripes_of(shape, tuning)}, {"TILE", chunk_granule}};
  return build_kernel(device, make_spec(device, row, reduction, values, row.family));
}

PlannedKernel build_kernel(const Device& device, const KernelSpec& spec) {
  PlannedKernel planned;
  for (const auto& [name, value] : spec.defines) {
    if (name == "GROUP_SIZE") planned.group_size = value;
  }
  planned.kernel = device.state()->kernels.get(spec);
  if (planned.kernel->max_group_size() < planned.group_size) {
    throw GroupTooLarge{planned.kernel->max_group_size()};
  }
  return planned;
}

const gallery::Variant& row_named(Algorithm algorithm, std::string_view name) {
  const gallery::Variant* row = gallery::find(algorithm, name);
  if (row == nullptr) {
    throw Error(
        ErrorCategory::invalid_argument,
        "no " + std::string(name_of(algorithm)) + " variant named \"" + std::string(name) + "\"");
  }
  return *row;
}

const gallery::Variant& choose_variant(const Device& device, Algorithm algorithm,
                                       std::string_view name, const PlanShape& shape) {
  check_shape(shape);
  if (algorithm == Algorithm::reduce && shape.on_device.total) {
    throw Error(ErrorCategory::invalid_argument, "a reduction has no total beside its result");
  }
  const gallery::Variant& asked = row_named(algorithm, name);
  const Choice choice = choose_row(device, asked, shape);
  if (choice.variant == nullptr) {
    throw Error(ErrorCategory::unsupported, std::string(name_of(algorithm)) + " variant " +
                                                std::string(name) + " on " +
                                                device.info().selector + ": " + choice.reasons);
  }
  if (choice.variant != &asked) {
    log().debug("{} of {} on {}: {} chosen{}{}", name_of(algorithm), name_of(shape.input),
                device.info().selector, choice.variant->name,
                choice.reasons.empty() ? "" : "; not ", choice.reasons);
  }
  return *choice.variant;
}

std::shared_ptr<const detail::Plan> build_plan(const Device& device,
                                               const gallery::Variant& variant,
                                               const PlanShape& shape, const Tuning& tuning) {
  Tuning values = tuning;
  for (;;) {
    try {
      return recipe_of(variant).planner(device, variant, shape, values);
    } catch (const GroupTooLarge& too_large) {
      const std::uint32_t group = values.get("GROUP_SIZE");
      const std::uint32_t next = too_large.next(group);
      if (next == 0) {
        throw Error(ErrorCategory::unsupported,
                    std::string(variant.name) + " does not fit a work-group of this device");
      }
      log().debug("{}: a group of {} is too large for this device", variant.name, group);
      values.set("GROUP_SIZE", next);
    }
  }
}

}  // namespace bifold::core

namespace {

// A plan outlives the definitions that the caller's types may refer to.
bifold::core::PlanShape kept(bifold::core::PlanShape shape) {
  for (bifold::Type* type : {&shape.input, &shape.accumulator, &shape.output}) {
    *type = bifold::core::kept(*type);
  }
  if (shape.second) shape.second = bifold::core::kept(*shape.second);
  return shape;
}

}  // namespace

bifold::detail::Plan::Plan(const Device& device, const gallery::Variant& variant,
                           core::PlanShape shape)
    : context_(device.state()->backend->context()),
      device_(device.state()->backend->identity()),
      variant_(variant),
      shape_(kept(std::move(shape))),
      gives_first_(core::gives_first(shape_)),
      counts_for_init_(core::counts_for_init(variant.algorithm, shape_)) {}
