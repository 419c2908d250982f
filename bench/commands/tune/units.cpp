#include "commands/tune/units.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/format.hpp"
#include "core/call/find_plan.hpp"
#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "core/shape/plan_shape.hpp"
#include "data/types.hpp"
#include "measure/production.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::Type;
using bifold::core::PlanShape;

bifold::Operator sum_of(Type type) { return operator_on(type, bifold::plus); }

void add(std::vector<TuneUnit>& units, TuneUnit unit) {
  if (bifold::core::tuning_space(*unit.row).empty()) return;
  const bool known = std::any_of(units.begin(), units.end(), [&](const TuneUnit& other) {
    return other.row == unit.row && other.elements == unit.elements;
  });
  if (!known) units.push_back(std::move(unit));
}

/// What production resolves to for a shape, as find_plan does it.
void add_choices(const bifold::Device& device, Algorithm algorithm, const PlanShape& shape,
                 std::vector<TuneUnit>& units) {
  const std::vector<ProductionVariant> variants = production_variants(device, algorithm, shape);
  if (variants.empty()) return;
  PlanShape measured = shape;
  measured.op = sum_of(shape.accumulator);
  TuneUnit unit{variants.front().variant, measured, bifold::core::element_class(algorithm, shape)};
  unit.from_bytes = variants.front().from_bytes;
  add(units, unit);
  if (variants.size() < 2) return;
  TuneUnit smaller = unit;
  smaller.row = variants.back().variant;
  smaller.below_bytes = std::exchange(smaller.from_bytes, 0);
  add(units, smaller);
}

}  // namespace

std::string TuneUnit::name() const {
  return formatted("{} {} on {}", bifold::name_of(row->algorithm), row->name,
                   bifold::core::name_of(elements));
}

std::vector<Type> default_tune_types() {
  return {Type::i32, Type::f32, Type::f64, Type::i64,
          Type::i8,  Type::i16, Type::f16, bifold::type_of<Pair>()};
}

std::vector<TuneUnit> tune_units(const bifold::Device& device, Type type) {
  std::vector<TuneUnit> units;
  const Type accumulator = bifold::accumulator_of(type);
  if (!device.supports(type)) return units;
  std::vector<bifold::Operator> operators{sum_of(accumulator)};
  if (!type.is_struct()) operators.push_back(ordered_operator(accumulator));
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    for (const bifold::Operator& op : operators) {
      for (const bifold::Order order : {bifold::Order::v1, bifold::Order::any}) {
        PlanShape shape{type, accumulator, type, bifold::ScanKind::inclusive, op};
        shape.order = order;
        add_choices(device, algorithm, shape, units);
      }
    }
  }
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    for (const bifold::Operator& op : operators) {
      PlanShape shape{type, accumulator, type, bifold::ScanKind::inclusive, op};
      shape.lines = bifold::core::LineLayout::any;
      add_choices(device, algorithm, shape, units);
    }
  }
  return units;
}

std::vector<TuneInput> tune_inputs(const TuneUnit& unit, const std::vector<std::uint64_t>& sizes) {
  std::vector<TuneInput> inputs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t n = sizes[i];
    if (!unit.takes_lines()) {
      inputs.push_back({n});
      continue;
    }
    const std::uint64_t lengths[] = {24, 1000, n / 5};
    const auto length = [&](std::size_t which) {
      return std::clamp<std::uint64_t>(lengths[which % std::size(lengths)], 1, n);
    };
    const std::uint64_t of_rows = length(i);
    const std::uint64_t of_columns = length(i + 1);
    inputs.push_back({n / of_rows * of_rows, bifold::Lines::rows(n / of_rows, of_rows)});
    inputs.push_back(
        {n / of_columns * of_columns, bifold::Lines::columns(of_columns, n / of_columns)});
  }
  return inputs;
}

std::vector<std::uint64_t> tune_sizes(const TuneUnit& unit, bifold::DeviceKind kind,
                                      std::uint64_t most_bytes) {
  std::vector<double> bytes{2e5, 6e6, 5e7, 4e8};
  if (kind == bifold::DeviceKind::cpu) bytes = {1e5, 2e6, 4e7};
  const auto from = static_cast<double>(unit.from_bytes);
  const auto below = static_cast<double>(unit.below_bytes);
  if (unit.from_bytes > 0) {
    bytes = {1.23 * from, 3.9 * from, 15.7 * from};
  } else if (unit.below_bytes != std::numeric_limits<std::uint64_t>::max()) {
    bytes = {2e5, below / 7.9, below / 1.3};
  }
  const double scale = std::min(1.0, static_cast<double>(most_bytes) / bytes.back());
  std::vector<std::uint64_t> sizes;
  for (const double each : bytes) {
    const auto size = static_cast<double>(bifold::size_of(unit.shape.input));
    // Memory may have no room for all of them, but those below are another row's.
    const double fitting =
        std::min(std::max(scale * each, 1.02 * from), static_cast<double>(most_bytes));
    sizes.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(fitting / size)));
  }
  return sizes;
}

TunePlan::TunePlan(const bifold::Device& device, const TuneUnit& unit,
                   const bifold::core::Tuning& tuning)
    : plan_([&]() -> decltype(plan_) {
        const PlanShape& of = unit.shape;
        if (unit.row->algorithm == Algorithm::scan) {
          bifold::ScanShape shape{of.input, of.output, of.accumulator,
                                  of.kind,  of.op,     unit.row->name};
          shape.lines = unit.takes_lines();
          return make_plan(device, shape, tuning);
        }
        bifold::ReduceShape shape{of.input, of.accumulator, of.op, unit.row->name};
        shape.result = of.output;
        shape.lines = unit.takes_lines();
        return make_plan(device, shape, tuning);
      }()) {}

void TunePlan::run(bifold::Queue& queue, const bifold::ErasedView& input,
                   const bifold::ErasedView& output,
                   const std::optional<bifold::Lines>& lines) const {
  std::visit(
      [&](const auto& plan) {
        using Plan = std::decay_t<decltype(plan)>;
        std::conditional_t<std::is_same_v<Plan, bifold::ScanPlan>, bifold::ScanOptions,
                           bifold::ReduceOptions>
            options;
        options.lines = lines;
        plan.run(queue, input, output, {}, options);
      },
      plan_);
}

}  // namespace bench
