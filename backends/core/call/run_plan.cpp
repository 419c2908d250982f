#include "core/call/run_plan.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <string>
#include <tuple>

#include "core/call/placement.hpp"
#include "core/device/fill.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// The second of two arrays has as many elements as the first; a call writes over neither.
void check_second(const detail::Plan& plan, const Device& device, const Placement& call) {
  const std::optional<Type>& wanted = plan.shape().second;
  if (call.second.has_value() != wanted.has_value()) {
    refuse(wanted ? "the plan takes two arrays" : "the plan takes one array");
  }
  if (!wanted) return;
  if (call.second->type != *wanted) refuse("the second array has another type than the plan's");
  check_view(device, *call.second, Access::read, "second");
  if (call.one_array && call.second->count != call.input.count) {
    refuse("the second array has " + std::to_string(call.second->count) + " elements, the first " +
           std::to_string(call.input.count));
  }
  if (overlap(device, *call.second, call.output)) refuse("second array and output overlap");
}

// An operator without identity wants an initial value where nothing else would be the result.
void check_init(const detail::Plan& plan, std::uint64_t n, const std::optional<Value>& init,
                const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  if (options.init_from || init || OperatorAccess::gives_of_nothing(shape.op)) return;
  const auto operator_name = [&shape] { return "operator " + std::string(shape.op.name()); };
  if (plan.variant().algorithm == Algorithm::reduce && (n == 0 || shape.on_device.count)) {
    refuse("a reduction of nothing by " + operator_name() + ", which has no identity");
  }
  if (plan.variant().algorithm == Algorithm::scan &&
      (shape.kind == ScanKind::exclusive || shape.on_device.total)) {
    refuse("an exclusive scan or a total without an initial value by " + operator_name() +
           ", which has no identity");
  }
}

bool in_place(const Device& device, const Placement& call) {
  return call.alike && same_range(device, call.input, call.output);
}

void check_call(const detail::Plan& plan, const Device& device, const Placement& call,
                const std::optional<Value>& init, const CallOptions& options) {
  const ErasedView& input = call.input;
  const ErasedView& output = call.output;
  const PlanShape& shape = plan.shape();
  if (!plan.runs_on(*device.state()->backend)) {
    refuse("the plan was made for another device than the queue's");
  }
  if (input.type != shape.input || output.type != shape.output) {
    refuse("the views have other element types than the plan");
  }
  if (values_on_device(options) != shape.on_device) {
    refuse("the plan was made for other values in device memory");
  }
  if (shape.lines == LineLayout::none && layout_of(options) != LineLayout::none)
    refuse("the plan was made for calls without lines");
  if (const std::uint64_t most = plan.most_elements(call.n); call.n > most) {
    throw Error(ErrorCategory::unsupported,
                std::string(plan.variant().name) + " takes at most " + std::to_string(most) +
                    " elements here, as loops of this device end after " +
                    std::to_string(device.capabilities().loop_turns) + " turns");
  }
  if (call.lines > 0) check_init(plan, call.n, init, options);
  check_view(device, input, Access::read, "input");
  check_view(device, output, Access::write, "output");
  const bool scans = plan.variant().algorithm == Algorithm::scan;
  const std::uint64_t outputs = scans ? call.n : 1;
  if (call.one_array && output.count != outputs) {
    refuse("the output has " + std::to_string(output.count) + " elements instead of " +
           std::to_string(outputs));
  }
  if (overlap(device, input, output) && !(scans && in_place(device, call))) {
    refuse("input and output overlap without being the same range");
  }
  check_second(plan, device, call);
}

// A value in device memory, or one for each of `lines` lines.
void check_value(const Device& device, const ErasedView& view, Type type, Access access,
                 const char* role, std::uint64_t lines = 1) {
  if (view.count != lines) {
    refuse(std::string(role) + ": a view of " + std::to_string(lines) +
           (lines == 1 ? " element is" : " elements are") + " wanted, not of " +
           std::to_string(view.count));
  }
  if (view.type != type) {
    refuse(std::string(role) + ": the element is " + std::string(name_of(view.type)) +
           " instead of " + std::string(name_of(type)));
  }
  check_view(device, view, access, role);
}

// What kernels read of them may not be what they write.
void check_device_values(const detail::Plan& plan, const Device& device, const Placement& call,
                         const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  const ErasedView& input = call.input;
  const ErasedView& output = call.output;
  const auto& [count_from, init_from, total, lines_from] =
      std::tie(options.count_from, options.init_from, options.total, options.lines_from);
  if (count_from) {
    check_value(device, *count_from, shape.on_device.count.value_or(Type::u64), Access::read,
                "count_from");
    if (overlap(device, *count_from, output)) refuse("count_from overlaps the output");
  }
  if (init_from) {
    check_value(device, *init_from, shape.accumulator, Access::read, "init_from",
                init_from->count == 1 ? 1 : call.lines);
    // A reduction reads its initial value last of all, and writes its result behind that. What a
    // result map makes is no initial value.
    const bool side_by_side = call.side_by_side && init_from->count == call.lines;
    const bool accumulates = plan.variant().algorithm == Algorithm::reduce && side_by_side &&
                             shape.result_map.is_identity() &&
                             same_range(device, *init_from, output);
    if (!accumulates && overlap(device, *init_from, output)) {
      refuse("init_from overlaps the output");
    }
  }
  if (lines_from) {
    check_value(device, *lines_from, shape.on_device.lines.value_or(Type::u64), Access::read,
                "lines_from");
    if (overlap(device, *lines_from, output)) refuse("lines_from overlaps the output");
    if (total && overlap(device, *total, *lines_from)) refuse("total overlaps lines_from");
  }
  if (total) {
    check_value(device, *total, shape.accumulator, Access::write, "total", call.lines);
    if (overlap(device, *total, input)) refuse("total overlaps the input");
    if (overlap(device, *total, output)) refuse("total overlaps the output");
    if (count_from && overlap(device, *total, *count_from)) refuse("total overlaps count_from");
    if (init_from && overlap(device, *total, *init_from)) refuse("total overlaps init_from");
  }
}

void check_workspace(const Workspace& workspace, const Device& device, ScratchSize size,
                     const Placement& call, const CallOptions& options) {
  check_view(device, workspace.memory(), Access::both, "workspace");
  const std::uint64_t needed = workspace_bytes(size);
  if (workspace.size() < needed) {
    refuse("the workspace has " + std::to_string(workspace.size()) + " bytes, this call needs " +
           std::to_string(needed));
  }
  const auto overlaps = [&](const ErasedView& view) {
    return overlap(device, workspace.memory(), view);
  };
  if (overlaps(call.input) || overlaps(call.output) || (call.second && overlaps(*call.second))) {
    refuse("the workspace overlaps the data");
  }
  for (const auto* value :
       {&options.count_from, &options.init_from, &options.total, &options.lines_from}) {
    if (*value && overlaps(**value)) refuse("the workspace overlaps a value in device memory");
  }
}

// The caller's memory as scratch; a raw one has its tagged words zeroed first.
Scratch borrow(const Workspace& workspace, detail::QueueState& queue, ScratchSize size) {
  Scratch scratch = layout(queue.device, workspace.memory());
  if (!workspace.prepared() && size.tagged_bytes > 0) {
    scratch.tagged_bytes = size.tagged_bytes;
    queue.backend->fill(scratch.memory, scratch.tagged_offset, scratch.tagged_bytes,
                        std::array<std::byte, 4>{});
  }
  return scratch;
}

// Keeps a call open on a queue.
class OpenCall {
 public:
  OpenCall(backend::Queue& queue, backend::Ordering ordering) : queue_(queue) {
    queue.begin_call(ordering);
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  ~OpenCall() { queue_.end_call(); }

 private:
  backend::Queue& queue_;
};

// Of no elements, no memory: whatever the view names is not checked then.
Range range_of(const ErasedView& view) {
  if (view.count == 0) return {};
  return {view.memory, view.byte_offset / size_of(view.type)};
}

std::optional<Range> range_of(const std::optional<ErasedView>& view) {
  return view ? std::optional(range_of(*view)) : std::nullopt;
}

// The same, and how it lies.
Range placed_range_of(const Device& device, const ErasedView& view) {
  Range range = range_of(view);
  const bool lent = view.memory.origin == detail::address_space && !is_address(device, view.memory);
  if (view.count > 0 && !lent) range.start = start_of(device, view);
  return range;
}

Init init_of(const detail::Plan& plan, const std::optional<Value>& start,
             const std::optional<Value>& nothing, const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  Init init{{shape.op, shape.accumulator, start}, range_of(options.init_from)};
  if (!plan.counts_for_init()) return init;
  if (const std::optional<Range> counted = range_of(options.count_from)) {
    init.counted = {{shape.op, shape.accumulator, nothing}, *counted};
  }
  return init;
}

First first_of(const detail::Plan& plan, const std::optional<Value>& nothing) {
  if (!plan.gives_first()) return {};
  return {StoredAccumulator(plan.shape().op, plan.shape().accumulator, nothing)};
}

// Whether a call has something to launch. Of no elements these are values that only the device
// knows, the results of lines, and what a result map makes.
bool launches(const detail::Plan& plan, std::uint64_t n, std::uint64_t lines) noexcept {
  if (lines == 0) return false;
  const PlanShape& shape = plan.shape();
  const bool writes = plan.variant().algorithm == Algorithm::reduce &&
                      (shape.lines != LineLayout::none || !shape.result_map.is_identity());
  return n > 0 || writes || shape.on_device.any();
}

ScratchSize scratch_size(const detail::Plan& plan, std::uint64_t n, std::uint64_t lines) noexcept {
  if (!launches(plan, n, lines)) return {};
  return plan.scratch_size_of_lines(std::max<std::uint64_t>(n, 1), lines);
}

// A range of lines begins with the first element of line 0.
Range moved(Range range, std::uint64_t origin) {
  range.offset += origin;
  return range;
}

std::optional<Range> moved(std::optional<Range> range, std::uint64_t origin) {
  if (range) range->offset += origin;
  return range;
}

CallLines lines_of(const Placement& call, const CallOptions& options) {
  CallLines lines = call.placed;
  lines.count.memory = range_of(options.lines_from);
  lines.init_of_each = options.init_from && options.init_from->count > 1;
  return lines;
}

}  // namespace

std::uint64_t workspace_bytes(const detail::Plan& plan, std::uint64_t n) noexcept {
  return workspace_bytes(scratch_size(plan, n, 1));
}

std::uint64_t workspace_bytes(const detail::Plan& plan, const Lines& lines) {
  static_cast<void>(extent_of(lines, "lines"));
  return workspace_bytes(scratch_size(plan, lines.length, lines.count()));
}

void check_plan(const detail::Plan& plan, const Device& device, const CallViews& views,
                const std::optional<Value>& init, const CallOptions& options) {
  const Placement placement = placement_of(plan.variant().algorithm, views, options);
  check_call(plan, device, placement, init, options);
  check_device_values(plan, device, placement, options);
  const PlanShape& shape = plan.shape();
  if (init) static_cast<void>(initial_value(shape.op, *init, shape.accumulator));
}

void run_plan(const detail::Plan& plan, Queue& queue, const CallViews& views,
              const std::optional<Value>& init, const CallOptions& options,
              const std::optional<Value>& of_nothing) {
  detail::QueueState& state = queue.state();
  const PlanShape& shape = plan.shape();
  const Placement placement = placement_of(plan.variant().algorithm, views, options);
  const ErasedView& input = placement.input;
  const ErasedView& output = placement.output;
  check_call(plan, state.device, placement, init, options);
  check_device_values(plan, state.device, placement, options);
  std::optional<Value> start;
  if (init && !options.init_from) start = initial_value(shape.op, *init, shape.accumulator);
  std::optional<Value> nothing = of_nothing ? of_nothing : start;
  if (!start && shape.op.has_identity()) start = shape.op.identity(shape.accumulator);
  if (!nothing && OperatorAccess::gives_of_nothing(shape.op)) {
    nothing = shape.op.of_nothing(shape.accumulator);
  }
  if (placement.n == 0) start = nothing;
  const bool works = launches(plan, placement.n, placement.lines);
  const ScratchSize size = scratch_size(plan, placement.n, placement.lines);
  const bool borrows = options.workspace != nullptr && works;
  if (borrows) check_workspace(*options.workspace, state.device, size, placement, options);

  const auto events = waitable(options.wait);

  const std::lock_guard lock(state.mutex);
  state.backend->check_wait(events);
  // A graph would hold on to the queue's own scratch, which other calls use and which moves.
  const char* own_scratch =
      !borrows && size.tagged_bytes + size.raw_bytes > 0 ? "a call without a workspace" : nullptr;
  if (own_scratch != nullptr) refuse_in_graph(state, own_scratch, events);
  // What calls share is the queue's scratch: one that brings its own need not wait for the others.
  const OpenCall call(*state.backend, borrows ? options.ordering : backend::Ordering::queue);
  if (state.backend->lost_work()) state.arena.distrust();
  if (!works) {
    if (!events.empty()) state.backend->wait(events);
    // A scan of nothing writes nothing.
    if (output.count > 0 && start && placement.lines > 0) {
      fill_elements(*state.backend, output.memory, output.byte_offset, 1,
                    convert(*start, output.type));
    }
  } else {
    try {
      // The queue's scratch is made ready before the wait: should an event fail, and with it this
      // call, later calls still find it so. The caller's may be in use until the events are there.
      Scratch scratch = borrows ? Scratch{} : state.arena.reserve(size);
      if (!events.empty()) {
        state.backend->wait(events);
        // An application's event may have brought the queue into a capture: now it can be known.
        if (own_scratch != nullptr) refuse_in_graph(state, own_scratch);
      }
      if (borrows) scratch = borrow(*options.workspace, state, size);
      plan.enqueue({*state.backend,
                    {moved(placed_range_of(state.device, input), placement.input_origin),
                     moved(range_of(placement.second), placement.second_origin)},
                    moved(placed_range_of(state.device, output), placement.output_origin),
                    {placement.n, range_of(options.count_from)},
                    init_of(plan, start, nothing, options),
                    {range_of(options.total), first_of(plan, nothing)},
                    input.count > 0 && in_place(state.device, placement),
                    scratch,
                    lines_of(placement, options)});
    } catch (...) {
      state.arena.distrust();
      throw;
    }
  }
  if (options.done != nullptr) *options.done = record(state);
}

}  // namespace bifold::core
