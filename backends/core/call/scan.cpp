#include "core/call/scan.hpp"

#include "core/call/accumulator.hpp"
#include "core/call/call_scalars.hpp"
#include "core/call/find_plan.hpp"
#include "core/call/placement.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "core/plan/planning.hpp"

namespace bifold {

namespace {

core::PlanShape plan_shape(const ScanShape& shape, core::LineLayout lines = core::LineLayout::any) {
  core::PlanShape made{.input = shape.input,
                       .accumulator = shape.accumulator,
                       .output = shape.output,
                       .kind = shape.kind,
                       .op = shape.op,
                       .map = shape.map,
                       .on_device = shape.on_device,
                       .order = shape.order,
                       .lines = shape.lines ? lines : core::LineLayout::none,
                       .reverse = shape.reverse,
                       .result_map = shape.result_map,
                       .more_outputs = shape.more_outputs};
  core::put_arrays(made, shape.more_inputs);
  return made;
}

const std::optional<ErasedView> no_second;

core::CallOptions call_options(const ScanOptions& options) {
  return {options.wait,
          options.done,
          options.workspace,
          options.count_from,
          options.init_from,
          options.total,
          options.lines,
          options.output_lines,
          options.second_lines,
          options.lines_from,
          backend::Ordering::events,
          options.scalars,
          options.more_outputs};
}

std::shared_ptr<const detail::Plan> find(const Device& device, const ScanShape& shape,
                                         const std::optional<core::Caller>& caller = {},
                                         core::LineLayout lines = core::LineLayout::any) {
  return core::find_plan(device, Algorithm::scan, shape.variant, plan_shape(shape, lines), caller);
}

}  // namespace

std::string_view name_of(ScanKind kind) noexcept {
  return kind == ScanKind::inclusive ? "inclusive" : "exclusive";
}

ScanPlan::ScanPlan(const Device& device, const ScanShape& shape) try
    : ScanPlan(find(device, shape)) {
} catch (...) {
  detail::rethrow();
}

ScanPlan::ScanPlan(std::shared_ptr<const detail::Plan> plan) : plan_(std::move(plan)) {}

const detail::Plan& ScanPlan::plan() const {
  if (!plan_) core::refuse_moved_from("ScanPlan");
  return *plan_;
}

const gallery::Variant& ScanPlan::variant() const { return plan().variant(); }

const gallery::Variant& ScanPlan::variant(std::uint64_t n) const { return plan().variant_for(n); }

std::uint64_t ScanPlan::workspace_bytes(std::uint64_t n) const {
  return core::workspace_bytes(plan(), n);
}

std::uint64_t ScanPlan::workspace_bytes(const Lines& lines) const try {
  return core::workspace_bytes(plan(), lines);
} catch (...) {
  detail::rethrow();
}

void ScanPlan::run(Queue& queue, const ErasedView& input, const ErasedView& output,
                   const std::optional<Value>& init, const ScanOptions& options) const try {
  core::run_plan(plan(), queue, {input, no_second, output}, init, call_options(options));
} catch (...) {
  detail::rethrow();
}

void ScanPlan::run(Queue& queue, const Zipped& input, const ErasedView& output,
                   const std::optional<Value>& init, const ScanOptions& options) const try {
  const core::Arrays arrays(input);
  core::run_plan(plan(), queue, arrays.views(output), init, call_options(options));
} catch (...) {
  detail::rethrow();
}

ScanPlan core::make_plan(const Device& device, const ScanShape& shape, const Tuning& tuning,
                         const TestHooks& hooks) {
  const Request request(device, plan_shape(shape), hooks);
  const auto& variant = choose_variant(request, Algorithm::scan, shape.variant);
  return ScanPlan(build_plan(request, row_of(variant), tuning));
}

void warm(const Device& device, const ScanShape& shape) try {
  static_cast<void>(find(device, shape));
} catch (...) {
  detail::rethrow();
}

namespace {

void enqueue(Queue& queue, ScanKind kind, const core::CallViews& views, const Operator& op,
             const std::optional<Value>& init, const Map& map, const ScanOptions& options) try {
  const ErasedView& input = views.input;
  const ErasedView& output = views.output;
  const core::CallOptions called = call_options(options);
  const core::LineLayout lines = core::layout_of(called);
  const std::uint32_t on_device =
      core::scalars_on_device(options.scalars, map, op, options.result_map, options.more_outputs);
  const Type accumulator =
      core::accumulator_for(output.type, op, options.accumulate, options.result_map);
  const auto plan = find(queue.device(),
                         {input.type, output.type, accumulator, kind, op, options.variant,
                          core::values_on_device(called, on_device), options.order, map,
                          lines != core::LineLayout::none, options.reverse, options.result_map,
                          core::shapes_of(options.more_outputs), core::types_beside(views)},
                         core::Caller{queue.state(), core::length_of(called, input.count)}, lines);
  core::run_plan(*plan, queue, views, init, called);
} catch (...) {
  detail::rethrow();
}

}  // namespace

void transform_scan(Queue& queue, ScanKind kind, const ErasedView& input, const ErasedView& output,
                    const Operator& op, const std::optional<Value>& init, const Map& map,
                    const ScanOptions& options) {
  enqueue(queue, kind, {input, no_second, output}, op, init, map, options);
}

void transform_scan(Queue& queue, ScanKind kind, const Zipped& input, const ErasedView& output,
                    const Operator& op, const std::optional<Value>& init, const Map& map,
                    const ScanOptions& options) {
  const core::Arrays arrays(input);
  enqueue(queue, kind, arrays.views(output), op, init, map, options);
}

void scan(Queue& queue, ScanKind kind, const ErasedView& input, const ErasedView& output,
          const Operator& op, const std::optional<Value>& init, const ScanOptions& options) {
  transform_scan(queue, kind, input, output, op, init, {}, options);
}

}  // namespace bifold
