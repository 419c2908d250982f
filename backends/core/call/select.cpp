#include "core/call/select.hpp"

#include <limits>
#include <span>
#include <string>
#include <utility>

#include "core/call/call_scalars.hpp"
#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "core/plan/planning.hpp"

namespace bifold {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

const std::optional<ErasedView> no_view;
const std::optional<Lines> no_lines;

core::CallOptions call_options(const SelectOptions& options, const std::optional<ErasedView>& kept,
                               std::span<const Output> stored_values) {
  return {options.wait,
          options.done,
          options.workspace,
          options.count_from,
          no_view,
          kept,
          no_lines,
          no_lines,
          no_lines,
          no_view,
          backend::Ordering::events,
          options.scalars,
          stored_values};
}

std::shared_ptr<const detail::Plan> find(const Device& device, const SelectShape& shape,
                                         const std::optional<core::Caller>& caller = {}) {
  return core::find_plan(device, Algorithm::select, shape.variant, core::plan_shape(shape), caller);
}

void run(const detail::Plan& plan, Queue& queue, const core::CallViews& views,
         const std::optional<ErasedView>& kept, const SelectOptions& options,
         std::span<const Output> stored_values = {}) {
  const std::uint64_t n = views.input.count;
  const core::PlanShape& shape = plan.shape();
  const core::Selection selection = shape.selection.value_or(core::Selection{});
  const bool by_u32 =
      shape.accumulator == Type::u32 || (selection.indices && shape.output == Type::u32);
  if (by_u32 && n > std::numeric_limits<std::uint32_t>::max()) {
    refuse("u32 does not count " + std::to_string(n) + " elements");
  }
  if (selection.rejected != Rejected::dropped && views.output.count < n) {
    refuse("output: a partition of " + std::to_string(n) + " elements has as many places, not " +
           std::to_string(views.output.count));
  }
  if (!stored_values.empty() && stored_values.front().view.count != views.output.count) {
    refuse("there are " + std::to_string(views.output.count) + " places of keys, and " +
           std::to_string(stored_values.front().view.count) + " of values");
  }
  core::run_plan(plan, queue, views, {}, call_options(options, kept, stored_values));
}

void enqueue(Queue& queue, const core::CallViews& views, const ErasedView& kept, SelectShape shape,
             const SelectOptions& options, std::span<const Output> stored_values = {}) try {
  const std::optional<ErasedView> total = kept;
  shape.input = views.input.type;
  shape.output = views.output.type;
  shape.kept = kept.type;
  shape.variant = options.variant;
  if (views.second) shape.flags = views.second->type;
  if (!stored_values.empty()) {
    shape.values = views.more_inputs.front().type;
    shape.stored_values = stored_values.front().view.type;
  }
  shape.on_device = core::values_on_device(
      call_options(options, total, stored_values),
      core::scalars_on_device(options.scalars, shape.predicate, plus, {}, {}));
  const auto plan = find(queue.device(), shape, core::Caller{queue.state(), views.input.count});
  run(*plan, queue, views, total, options, stored_values);
} catch (...) {
  detail::rethrow();
}

}  // namespace

SelectPlan::SelectPlan(const Device& device, const SelectShape& shape) try
    : SelectPlan(find(device, shape)) {
} catch (...) {
  detail::rethrow();
}

SelectPlan::SelectPlan(std::shared_ptr<const detail::Plan> plan) : plan_(std::move(plan)) {}

const detail::Plan& SelectPlan::plan() const {
  if (!plan_) core::refuse_moved_from("SelectPlan");
  return *plan_;
}

const gallery::Variant& SelectPlan::variant() const { return plan().variant(); }

std::uint64_t SelectPlan::workspace_bytes(std::uint64_t n) const {
  return core::workspace_bytes(plan(), n);
}

void SelectPlan::run(Queue& queue, const ErasedView& input, const ErasedView& output,
                     const ErasedView& kept, const SelectOptions& options) const try {
  bifold::run(plan(), queue, {input, no_view, output}, kept, options);
} catch (...) {
  detail::rethrow();
}

void SelectPlan::run_flagged(Queue& queue, const ErasedView& input, const ErasedView& flags,
                             const ErasedView& output, const ErasedView& kept,
                             const SelectOptions& options) const try {
  const std::optional<ErasedView> second = flags;
  bifold::run(plan(), queue, {input, second, output}, kept, options);
} catch (...) {
  detail::rethrow();
}

void SelectPlan::run_by_key(Queue& queue, const ErasedView& keys, const ErasedView& values,
                            const ErasedView& unique, const ErasedView& stored_values,
                            const ErasedView& kept, const SelectOptions& options) const try {
  const Output stored{stored_values};
  bifold::run(plan(), queue, {keys, no_view, unique, {&values, 1}}, kept, options, {&stored, 1});
} catch (...) {
  detail::rethrow();
}

SelectPlan core::make_plan(const Device& device, const SelectShape& shape, const Tuning& tuning,
                           const TestHooks& hooks) {
  const Request request(device, plan_shape(shape), hooks);
  const auto& variant = choose_variant(request, Algorithm::select, shape.variant);
  return SelectPlan(build_plan(request, row_of(variant), tuning));
}

void warm(const Device& device, const SelectShape& shape) try {
  static_cast<void>(find(device, shape));
} catch (...) {
  detail::rethrow();
}

void select(Queue& queue, const ErasedView& input, const ErasedView& output, const ErasedView& kept,
            const Map& predicate, const SelectOptions& options) {
  enqueue(queue, {input, no_view, output}, kept, {.predicate = predicate}, options);
}

void select_flagged(Queue& queue, const ErasedView& input, const ErasedView& flags,
                    const ErasedView& output, const ErasedView& kept,
                    const SelectOptions& options) {
  const std::optional<ErasedView> second = flags;
  enqueue(queue, {input, second, output}, kept, {}, options);
}

void partition(Queue& queue, const ErasedView& input, const ErasedView& output,
               const ErasedView& kept, const Map& predicate, const SelectOptions& options) {
  enqueue(queue, {input, no_view, output}, kept,
          {.predicate = predicate, .rejected = Rejected::in_order}, options);
}

void partition_reversed(Queue& queue, const ErasedView& input, const ErasedView& output,
                        const ErasedView& kept, const Map& predicate,
                        const SelectOptions& options) {
  enqueue(queue, {input, no_view, output}, kept,
          {.predicate = predicate, .rejected = Rejected::reversed}, options);
}

void unique(Queue& queue, const ErasedView& input, const ErasedView& output, const ErasedView& kept,
            const Map& equality, const SelectOptions& options) {
  enqueue(queue, {input, no_view, output}, kept, {.predicate = equality, .first_of_runs = true},
          options);
}

void unique_by_key(Queue& queue, const ErasedView& keys, const ErasedView& values,
                   const ErasedView& unique, const ErasedView& stored_values,
                   const ErasedView& kept, const Map& equality, const SelectOptions& options) {
  const Output stored{stored_values};
  enqueue(queue, {keys, no_view, unique, {&values, 1}}, kept,
          {.predicate = equality, .first_of_runs = true}, options, {&stored, 1});
}

void select_index(Queue& queue, const ErasedView& input, const ErasedView& output,
                  const ErasedView& kept, const Map& predicate, const SelectOptions& options) {
  enqueue(queue, {input, no_view, output}, kept,
          {.predicate = predicate, .selected = Selected::indices}, options);
}

}  // namespace bifold
