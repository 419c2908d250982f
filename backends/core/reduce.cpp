#include <array>
#include <bifold/reduce.hpp>

#include "core/plan.hpp"
#include "core/ranges.hpp"
#include "core/state.hpp"
#include "core/workspace_layout.hpp"

namespace bifold {

namespace {

core::PlanShape plan_shape(const ReduceShape& shape) {
  return {shape.input,         shape.accumulator, shape.result.value_or(shape.accumulator),
          ScanKind::inclusive, shape.op,          shape.map,
          shape.on_device,     shape.order,       shape.second};
}

const std::optional<ErasedView> no_view;

core::CallOptions call_options(const ReduceOptions& options) {
  return {options.wait,       options.done,      options.workspace,
          options.count_from, options.init_from, no_view};
}

std::shared_ptr<const detail::Plan> find(const Device& device, const ReduceShape& shape,
                                         const std::optional<core::Caller>& caller = {}) {
  return core::find_plan(device, Algorithm::reduce, shape.variant, plan_shape(shape), caller);
}

}  // namespace

ReducePlan::ReducePlan(const Device& device, const ReduceShape& shape)
    : ReducePlan(find(device, shape)) {}

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

void ReducePlan::run(Queue& queue, const ErasedView& input, const ErasedView& result,
                     const std::optional<Value>& init, const ReduceOptions& options) const {
  core::run_plan(plan(), queue, {input, no_view, result}, init, call_options(options));
}

void ReducePlan::run(Queue& queue, const ErasedView& input, const ErasedView& second,
                     const ErasedView& result, const std::optional<Value>& init,
                     const ReduceOptions& options) const {
  core::run_plan(plan(), queue, {input, second, result}, init, call_options(options));
}

ReducePlan core::make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning) {
  const PlanShape full = plan_shape(shape);
  const auto& variant = choose_variant(device, Algorithm::reduce, shape.variant, full);
  return ReducePlan(build_plan(device, variant, full, tuning));
}

void warm(const Device& device, const ReduceShape& shape) {
  static_cast<void>(find(device, shape));
}

namespace {

void enqueue(Queue& queue, const core::CallViews& views, const Operator& op,
             const std::optional<Value>& init, const Map& map, const ReduceOptions& options) {
  std::optional<Type> second;
  if (views.second) second = views.second->type;
  const Type result = views.output.type;
  const Type accumulator = accumulator_of(result);
  const auto plan =
      find(queue.device(),
           {views.input.type, accumulator, op, options.variant, map,
            core::values_on_device(call_options(options)), options.order, second, result},
           core::Caller{queue.state(), views.input.count});
  core::run_plan(*plan, queue, views, init, call_options(options));
}

Value blocking(Queue& queue, const ErasedView& input, const std::optional<ErasedView>& second,
               Type result, const Operator& op, const std::optional<Value>& init, const Map& map,
               const ReduceOptions& options) {
  detail::QueueState& state = queue.state();
  // The cell is shared by the queue's blocking reductions, so they take turns.
  const std::lock_guard turn(state.blocking_reduce);
  const backend::HostVisible cell = [&] {
    const std::lock_guard lock(state.mutex);
    core::refuse_in_graph(state, "a reduction to the host");
    return state.arena.result_cell();
  }();
  const ErasedView view{cell.memory, 0, 1, result, true};
  enqueue(queue, {input, second, view}, op, init, map, options);
  if (cell.host != nullptr) {
    queue.finish();
    return Value::from_bytes(result, cell.host);
  }
  std::array<std::byte, max_element_bytes> bytes{};
  queue.download_bytes(view, bytes.data(), 1);
  return Value::from_bytes(result, bytes.data());
}

}  // namespace

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

void reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const Operator& op, const std::optional<Value>& init,
                 const ReduceOptions& options) {
  enqueue(queue, {input, no_view, result}, op, init, {}, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, Type result, const Operator& op,
                       const std::optional<Value>& init, const Map& map,
                       const ReduceOptions& options) {
  return blocking(queue, input, no_view, result, op, init, map, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, const ErasedView& second, Type result,
                       const Operator& op, const std::optional<Value>& init, const Map& map,
                       const ReduceOptions& options) {
  return blocking(queue, input, second, result, op, init, map, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
                       const Map& map, const ReduceOptions& options) {
  return blocking(queue, input, no_view, init.type(), op, init, map, options);
}

Value reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
             const ReduceOptions& options) {
  return blocking(queue, input, no_view, init.type(), op, init, {}, options);
}

}  // namespace bifold
