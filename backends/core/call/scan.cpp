#include "core/call/scan.hpp"

#include "core/call/accumulator.hpp"
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
  return {.input = shape.input,
          .accumulator = shape.accumulator,
          .output = shape.output,
          .kind = shape.kind,
          .op = shape.op,
          .map = shape.map,
          .on_device = shape.on_device,
          .order = shape.order,
          .lines = shape.lines ? lines : core::LineLayout::none,
          .reverse = shape.reverse,
          .result_map = shape.result_map};
}

const std::optional<ErasedView> no_second;
const std::optional<Lines> no_second_lines;

core::CallOptions call_options(const ScanOptions& options) {
  return {options.wait,      options.done,      options.workspace, options.count_from,
          options.init_from, options.total,     options.lines,     options.output_lines,
          no_second_lines,   options.lines_from};
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

void transform_scan(Queue& queue, ScanKind kind, const ErasedView& input, const ErasedView& output,
                    const Operator& op, const std::optional<Value>& init, const Map& map,
                    const ScanOptions& options) try {
  const core::CallOptions called = call_options(options);
  const core::LineLayout lines = core::layout_of(called);
  const Type accumulator =
      core::accumulator_for(output.type, op, options.accumulate, options.result_map);
  const ScanPlan plan(find(queue.device(),
                           {input.type, output.type, accumulator, kind, op, options.variant,
                            core::values_on_device(called), options.order, map,
                            lines != core::LineLayout::none, options.reverse, options.result_map},
                           core::Caller{queue.state(), core::length_of(called, input.count)},
                           lines));
  plan.run(queue, input, output, init, options);
} catch (...) {
  detail::rethrow();
}

void scan(Queue& queue, ScanKind kind, const ErasedView& input, const ErasedView& output,
          const Operator& op, const std::optional<Value>& init, const ScanOptions& options) {
  transform_scan(queue, kind, input, output, op, init, {}, options);
}

}  // namespace bifold
