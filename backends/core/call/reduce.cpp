#include "core/call/reduce.hpp"

#include <bifold/error.hpp>

#include "core/call/accumulator.hpp"
#include "core/call/call_scalars.hpp"
#include "core/call/find_plan.hpp"
#include "core/call/placement.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "core/plan/planning.hpp"

namespace bifold {

namespace {

core::PlanShape plan_shape(const ReduceShape& shape,
                           core::LineLayout lines = core::LineLayout::any) {
  core::PlanShape made{.input = shape.input,
                       .accumulator = shape.accumulator,
                       .output = shape.result.value_or(shape.accumulator),
                       .op = shape.op,
                       .map = shape.map,
                       .on_device = shape.on_device,
                       .order = shape.order,
                       .second = shape.second,
                       .lines = shape.segments || shape.keys ? core::LineLayout::segments
                                : shape.lines                ? lines
                                                             : core::LineLayout::none,
                       .segments = shape.segments,
                       .keys = shape.keys,
                       .result_map = shape.result_map,
                       .more_outputs = shape.more_outputs};
  if (shape.second && !shape.more_inputs.empty()) {
    throw Error(ErrorCategory::invalid_argument, "second and more_inputs name the same arrays");
  }
  if (shape.keys && (shape.segments || shape.lines)) {
    throw Error(ErrorCategory::invalid_argument, "keys beside lines or segments");
  }
  core::put_arrays(made, shape.more_inputs);
  return made;
}

const std::optional<ErasedView> no_view;

core::CallOptions call_options(const ReduceOptions& options) {
  return {options.wait,
          options.done,
          options.workspace,
          options.count_from,
          options.init_from,
          no_view,
          options.lines,
          options.result_lines,
          options.second_lines,
          options.lines_from,
          backend::Ordering::events,
          options.scalars,
          options.more_outputs,
          options.segments,
          options.keys};
}

std::shared_ptr<const detail::Plan> find(const Device& device, const ReduceShape& shape,
                                         const std::optional<core::Caller>& caller = {},
                                         core::LineLayout lines = core::LineLayout::any) {
  return core::find_plan(device, Algorithm::reduce, shape.variant, plan_shape(shape, lines),
                         caller);
}

}  // namespace

ReducePlan::ReducePlan(const Device& device, const ReduceShape& shape) try
    : ReducePlan(find(device, shape)) {
} catch (...) {
  detail::rethrow();
}

ReducePlan::ReducePlan(std::shared_ptr<const detail::Plan> plan) : plan_(std::move(plan)) {}

const detail::Plan& ReducePlan::plan() const {
  if (!plan_) core::refuse_moved_from("ReducePlan");
  return *plan_;
}

const gallery::Variant& ReducePlan::variant() const { return plan().variant(); }

const gallery::Variant& ReducePlan::variant(std::uint64_t n) const { return plan().variant_for(n); }

std::uint64_t ReducePlan::workspace_bytes(std::uint64_t n) const {
  return core::workspace_bytes(plan(), n);
}

std::uint64_t ReducePlan::workspace_bytes(const Lines& lines) const try {
  return core::workspace_bytes(plan(), lines);
} catch (...) {
  detail::rethrow();
}

void ReducePlan::run(Queue& queue, const ErasedView& input, const ErasedView& result,
                     const std::optional<Value>& init, const ReduceOptions& options) const try {
  core::run_plan(plan(), queue, {input, no_view, result}, init, call_options(options));
} catch (...) {
  detail::rethrow();
}

void ReducePlan::run(Queue& queue, const Zipped& input, const ErasedView& result,
                     const std::optional<Value>& init, const ReduceOptions& options) const try {
  const core::Arrays arrays(input);
  core::run_plan(plan(), queue, arrays.views(result), init, call_options(options));
} catch (...) {
  detail::rethrow();
}

void ReducePlan::run(Queue& queue, const ErasedView& input, const ErasedView& second,
                     const ErasedView& result, const std::optional<Value>& init,
                     const ReduceOptions& options) const try {
  core::run_plan(plan(), queue, {input, second, result}, init, call_options(options));
} catch (...) {
  detail::rethrow();
}

ReducePlan core::make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning,
                           const TestHooks& hooks) {
  const Request request(device, plan_shape(shape), hooks);
  const auto& variant = choose_variant(request, Algorithm::reduce, shape.variant);
  return ReducePlan(build_plan(request, row_of(variant), tuning));
}

void warm(const Device& device, const ReduceShape& shape) try {
  static_cast<void>(find(device, shape));
} catch (...) {
  detail::rethrow();
}

namespace {

void enqueue(Queue& queue, const core::CallViews& views, const Operator& op,
             const std::optional<Value>& init, const Map& map, const ReduceOptions& options,
             const std::optional<Value>& of_nothing = {}) try {
  const Type result = views.output.type;
  const Type accumulator =
      core::accumulator_for(result, op, options.accumulate, options.result_map);
  const core::CallOptions called = call_options(options);
  const core::LineLayout lines = core::layout_of(called);
  const std::uint32_t on_device =
      core::scalars_on_device(options.scalars, map, op, options.result_map, options.more_outputs,
                              options.keys ? options.keys->equality : Map{});
  const auto plan =
      find(queue.device(),
           {views.input.type,
            accumulator,
            op,
            options.variant,
            map,
            core::values_on_device(called, on_device),
            options.order,
            {},
            result,
            lines != core::LineLayout::none && lines != core::LineLayout::segments,
            options.result_map,
            core::shapes_of(options.more_outputs),
            core::types_beside(views),
            core::shape_of(options.segments),
            core::shape_of(options.keys)},
           core::Caller{queue.state(), core::length_of(called, views.input.count)}, lines);
  core::run_plan(*plan, queue, views, init, called, of_nothing);
} catch (...) {
  detail::rethrow();
}

Value blocking(Queue& queue, const ErasedView& input, const std::optional<ErasedView>& second,
               std::span<const ErasedView> more_inputs, Type result, const Operator& op,
               const std::optional<Value>& init, const Map& map, const ReduceOptions& options,
               const std::optional<Value>& of_nothing = {}) try {
  if ((options.lines && options.lines->count() != 1) || options.segments || options.keys) {
    throw Error(ErrorCategory::invalid_argument,
                "a reduction to the host takes one line, and no segments or keys");
  }
  detail::QueueState& state = queue.state();
  // The slot is shared by the queue's blocking reductions, so they take turns.
  const std::lock_guard turn(state.blocking_reduce);
  const core::ResultSlot slot = [&] {
    const std::lock_guard lock(state.mutex);
    core::refuse_in_graph(state, "a reduction to the host");
    return state.arena.lend_slot();
  }();
  const ErasedView view{slot.memory, 0, 1, result, true};
  enqueue(queue, {input, second, view, more_inputs}, op, init, map, options, of_nothing);
  if (slot.host != nullptr) {
    queue.finish();
  } else {
    queue.download_bytes(view, slot.stage, 1);
  }
  state.arena.take_back_slot();  // When a wait throws, the kernel may be running still.
  return Value::from_bytes(result, slot.host != nullptr ? slot.host : slot.stage);
} catch (...) {
  detail::rethrow();
}

}  // namespace

Value core::transform_reduce(Queue& queue, const ErasedView& input, const Operator& op,
                             const Beginning& beginning, const Map& map,
                             const ReduceOptions& options) {
  return blocking(queue, input, no_view, {}, beginning.init.type(), op, beginning.init, map,
                  options, beginning.of_nothing);
}

void core::transform_reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                                 const Operator& op, const Beginning& beginning, const Map& map,
                                 const ReduceOptions& options) {
  enqueue(queue, {input, no_view, result}, op, beginning.init, map, options, beginning.of_nothing);
}

void transform_reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                           const Operator& op, const std::optional<Value>& init, const Map& map,
                           const ReduceOptions& options) {
  enqueue(queue, {input, no_view, result}, op, init, map, options);
}

void transform_reduce_into(Queue& queue, const ErasedView& input, const ErasedView& second,
                           const ErasedView& result, const Operator& op,
                           const std::optional<Value>& init, const Map& map,
                           const ReduceOptions& options) {
  enqueue(queue, {input, second, result}, op, init, map, options);
}

void transform_reduce_into(Queue& queue, const Zipped& input, const ErasedView& result,
                           const Operator& op, const std::optional<Value>& init, const Map& map,
                           const ReduceOptions& options) {
  const core::Arrays arrays(input);
  enqueue(queue, arrays.views(result), op, init, map, options);
}

void reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const Operator& op, const std::optional<Value>& init,
                 const ReduceOptions& options) {
  enqueue(queue, {input, no_view, result}, op, init, {}, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, Type result, const Operator& op,
                       const std::optional<Value>& init, const Map& map,
                       const ReduceOptions& options) {
  return blocking(queue, input, no_view, {}, result, op, init, map, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, const ErasedView& second, Type result,
                       const Operator& op, const std::optional<Value>& init, const Map& map,
                       const ReduceOptions& options) {
  return blocking(queue, input, second, {}, result, op, init, map, options);
}

Value transform_reduce(Queue& queue, const Zipped& input, Type result, const Operator& op,
                       const std::optional<Value>& init, const Map& map,
                       const ReduceOptions& options) {
  std::optional<ErasedView> second;
  if (!input.more.empty()) second = input.more.front();
  const std::span<const ErasedView> more(input.more);
  return blocking(queue, input.x, second, more.subspan(second ? 1 : 0), result, op, init, map,
                  options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
                       const Map& map, const ReduceOptions& options) {
  return blocking(queue, input, no_view, {}, init.type(), op, init, map, options);
}

Value reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
             const ReduceOptions& options) {
  return blocking(queue, input, no_view, {}, init.type(), op, init, {}, options);
}

}  // namespace bifold
