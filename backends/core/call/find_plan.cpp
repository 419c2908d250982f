#include "core/call/find_plan.hpp"

#include <bifold/error.hpp>
#include <exception>
#include <utility>

#include "core/base/log.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/keys/keyed_reduction.hpp"
#include "core/plan/by_size.hpp"
#include "core/plan/plan_table.hpp"
#include "core/plan/planning.hpp"
#include "core/shape/select_shape.hpp"

namespace bifold::core {

namespace {

// Values that were measured on one type of a class may be too much for another, as for a struct
// with a large accumulator: that must not keep the call from being made.
std::shared_ptr<const detail::Plan> build_tuned(const Request& request,
                                                const gallery::Variant& variant) {
  const Row row = row_of(variant);
  const Tuning built_in = built_in_tuning(request, variant);
  const Tuning tuned = tuning_for(request, variant);
  if (tuned == built_in) return build_plan(request, row, built_in);
  try {
    return build_plan(request, row, tuned);
  } catch (const Error& error) {
    log().warn("{}: {} {} of {} takes its built-in values, not those of the tuning file: {}",
               request.device.info().selector, name_of(variant.algorithm), variant.name,
               name_of(request.shape.input), error.what());
    return build_plan(request, row, built_in);
  }
}

// From how many elements on production runs the row, where another one is there for fewer.
std::uint64_t first_size(const Request& request, const gallery::Variant& row) {
  return (std::uint64_t{tuning_for(request, row).at_least_mib.value_or(0)} << 20) /
         size_of(request.shape.input);
}

// The plan of the first row that can be built, with that of the row for fewer elements beside it.
// On a device without its compiler, production passes over rows whose kernels are not to be had;
// when there is none, the first row says why.
std::shared_ptr<const detail::Plan> build_first(const Request& request,
                                                const gallery::Variant& asked) {
  const gallery::Variant* row = &choose_variant(request, asked.algorithm, asked.name);
  if (row == &asked) return build_tuned(request, asked);
  const auto plan_of = [&](const gallery::Variant* variant) {
    return [&, variant] { return build_tuned(request, *variant); };
  };
  std::exception_ptr first;
  for (;;) {
    try {
      const gallery::Variant* fewer = row_for_fewer(request, asked, *row);
      if (fewer == nullptr) return build_tuned(request, *row);
      return by_size(request, *row, first_size(request, *row), plan_of(fewer), plan_of(row));
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::unavailable) throw;
      if (!first) first = std::current_exception();
      log().debug("{} passed over: {}", row->name, error.what());
    }
    const gallery::Variant* next = choose_row(request, asked, row).variant;
    if (next == nullptr) std::rethrow_exception(first);
    row = next;
  }
}

// A plan with keys has two parts. No other call shares them: their kernels take its scalars.
std::shared_ptr<const detail::Plan> build_part(const Request& whole, PlanShape shape,
                                               const gallery::Variant& asked) {
  Request part(whole.device, std::move(shape), whole.hooks);
  part.may_go = whole.may_go;
  return build_first(part, asked);
}

// The part that reduces runs. Lengths come from offsets alone, by the rows that take lines.
std::shared_ptr<const detail::Plan> build_of_runs(const Request& request,
                                                  const gallery::Variant& asked) {
  if (auto lengths = counts_of_runs(request.shape)) {
    try {
      return build_part(request, *std::move(lengths), asked);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::unsupported) throw;
      log().debug("lengths of runs by segments: {}", error.what());
    }
  }
  return build_part(request, reduction_of_runs(request.shape), asked);
}

std::shared_ptr<const detail::Plan> build_any(const Request& request,
                                              const gallery::Variant& asked) {
  if (!request.shape.keys) return build_first(request, asked);
  auto runs = build_part(request, selection_of_runs(request.shape),
                         row_named(Algorithm::select, "production"));
  return plan_keyed_reduction(request, std::move(runs), build_of_runs(request, asked));
}

// A kernel goes when no plan has it, and a plan goes from the table when it was not used for long.
void drop_unused(detail::DeviceState& state) {
  while (state.kernels.is_over_full()) {
    const bool was_plan = !state.plans->take_least_used().empty();
    const bool was_program = state.kernels.drop_unused();
    if (!was_plan && !was_program) return;
  }
}

void add_inputs(const PlanShape& shape, PlanKey& key) {
  for (const Type type : shape.more_inputs) {
    if (key.more_input_count == key.more_inputs.size()) break;  // The shape is refused.
    key.more_inputs.at(key.more_input_count++) = type;
  }
}

void add_outputs(const PlanShape& shape, PlanKey& key) {
  std::size_t count = 0;
  for (const OutputShape& output : shape.more_outputs) {
    if (count == key.more_outputs.size()) break;  // The shape is refused.
    key.more_outputs.at(count) = output.type;
    const std::uint64_t id = output.result_map.is_identity() ? 0 : output.result_map.id();
    key.more_outputs_id = (key.more_outputs_id ^ id) * 0x9e3779b97f4a7c15U + ++count;
  }
}

}  // namespace

const gallery::Variant* row_for_fewer(const Request& request, const gallery::Variant& asked,
                                      const gallery::Variant& row) {
  if (first_size(request, row) == 0) return nullptr;
  const gallery::Variant* next = &row;
  do {
    next = choose_row(request, asked, next).variant;
  } while (next != nullptr && first_size(request, *next) > 0);
  return next;
}

std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, PlanShape shape,
                                              const std::optional<Caller>& caller) {
  if (shape.accumulator.is_struct()) shape = with_operator_of_type(std::move(shape));
  if (caller) shape.sizes = Sizes::of(caller->n);
  const gallery::Variant& asked = row_named(algorithm, variant);
  const std::uint64_t map_id = shape.map.is_identity() ? 0 : shape.map.id();
  const std::uint64_t result_map_id = shape.result_map.is_identity() ? 0 : shape.result_map.id();
  PlanKey key{shape.op.id(), map_id,        index_of(asked), shape.input, shape.accumulator,
              shape.output,  shape.kind,    shape.on_device, shape.order, shape.second,
              shape.lines,   shape.reverse, result_map_id};
  add_inputs(shape, key);
  add_outputs(shape, key);
  key.selection = shape.selection;
  key.segments = shape.segments;
  if (const auto& keys = shape.keys) {
    const std::uint64_t equality_id = keys->equality.is_identity() ? 0 : keys->equality.id();
    key.keys = PlanKeyTypes{keys->keys, keys->unique, keys->runs, equality_id};
  }
  PlanTable& plans = *device.state()->plans;
  if (auto known = plans.find(key, shape)) return known;
  if (caller) {
    const std::lock_guard lock(caller->queue.mutex);
    refuse_in_graph(caller->queue, "planning the first call of a shape and about that size");
  }
  Request request(device, std::move(shape));
  request.may_go = device.state()->kernels.is_half_full();
  auto plan = plans.add(key, build_any(request, asked));
  drop_unused(*device.state());
  return plan;
}

}  // namespace bifold::core
