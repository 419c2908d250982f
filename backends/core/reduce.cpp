#include <array>
#include <bifold/reduce.hpp>

#include "core/plan.hpp"
#include "core/ranges.hpp"
#include "core/state.hpp"
#include "core/workspace_layout.hpp"

namespace bifold {

namespace {

core::PlanShape plan_shape(const ReduceShape& shape) {
  return {shape.input, shape.accumulator, shape.accumulator, ScanKind::inclusive,
          shape.op,    shape.map,         shape.on_device};
}

const std::optional<ErasedView> no_total;

core::CallOptions call_options(const ReduceOptions& options) {
  return {options.wait,       options.done,      options.workspace,
          options.count_from, options.init_from, no_total};
}

std::shared_ptr<const detail::Plan> find(const Device& device, const ReduceShape& shape,
                                         detail::QueueState* queue = nullptr) {
  return core::find_plan(device, Algorithm::reduce, shape.variant, plan_shape(shape), queue);
}

}  // namespace

ReducePlan::ReducePlan(const Device& device, const ReduceShape& shape)
    : ReducePlan(find(device, shape)) {}

ReducePlan::ReducePlan(std::shared_ptr<const detail::Plan> plan) : plan_(std::move(plan)) {}

const gallery::Variant& ReducePlan::variant() const noexcept { return plan_->variant(); }

std::uint64_t ReducePlan::workspace_bytes(std::uint64_t n) const noexcept {
  return core::workspace_bytes(*plan_, n);
}

void ReducePlan::run(Queue& queue, const ErasedView& input, const ErasedView& result,
                     const Value& init, const ReduceOptions& options) const {
  core::run_plan(*plan_, queue, input, result, init, call_options(options));
}

ReducePlan core::make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning) {
  const PlanShape full = plan_shape(shape);
  const auto& variant = choose_variant(device, Algorithm::reduce, shape.variant, full);
  return ReducePlan(build_plan(device, variant, full, tuning));
}

void warm(const Device& device, const ReduceShape& shape) {
  static_cast<void>(find(device, shape));
}

void transform_reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                           const Operator& op, const Value& init, const Map& map,
                           const ReduceOptions& options) {
  const ReducePlan plan(find(queue.device(),
                             {input.type, result.type, op, options.variant, map,
                              core::values_on_device(call_options(options))},
                             &queue.state()));
  plan.run(queue, input, result, init, options);
}

void reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const Operator& op, const Value& init, const ReduceOptions& options) {
  transform_reduce_into(queue, input, result, op, init, {}, options);
}

Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
                       const Map& map, const ReduceOptions& options) {
  detail::QueueState& state = queue.state();
  // The cell is shared by the queue's blocking reductions, so they take turns.
  const std::lock_guard turn(state.blocking_reduce);
  const ErasedView cell{[&] {
                          const std::lock_guard lock(state.mutex);
                          core::refuse_in_graph(state, "a reduction to the host");
                          return state.arena.result_cell();
                        }(),
                        0, 1, init.type(), true};
  transform_reduce_into(queue, input, cell, op, init, map, options);
  std::array<std::byte, max_element_bytes> bytes{};
  queue.download_bytes(cell, bytes.data(), 1);
  return Value::from_bytes(init.type(), bytes.data());
}

Value reduce(Queue& queue, const ErasedView& input, const Operator& op, const Value& init,
             const ReduceOptions& options) {
  return transform_reduce(queue, input, op, init, {}, options);
}

}  // namespace bifold
