#include "core/call/run_plan.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <string>

#include "core/call/call_scalars.hpp"
#include "core/call/check_values.hpp"
#include "core/call/placement.hpp"
#include "core/device/fill.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/plan/turns.hpp"
#include "core/shape/check_shape.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// Arrays beside the input have as many elements.
void check_inputs(const detail::Plan& plan, const Device& device, const Placement& call) {
  constexpr std::array names{"one array", "two arrays", "three arrays", "four arrays"};
  constexpr std::array roles{"second", "third", "fourth"};
  const PlanShape& shape = plan.shape();
  const std::size_t wanted = arrays_beside(shape);
  if (inputs_beside(call) != wanted) refuse(std::string("the plan takes ") + names.at(wanted));
  for (std::size_t k = 0; k < wanted; ++k) {
    const ErasedView& view = input_beside(call, k);
    const std::string role = roles.at(k);
    if (view.type != type_beside(shape, k)) {
      refuse("the " + role + " array has another type than the plan's");
    }
    check_view(device, view, Access::read, roles.at(k));
    if (call.one_array && view.count != call.input.count) {
      refuse("the " + role + " array has " + std::to_string(view.count) + " elements, the first " +
             std::to_string(call.input.count));
    }
  }
}

// An operator without identity wants an initial value where nothing else would be the result.
void check_init(const detail::Plan& plan, std::uint64_t n, const std::optional<Value>& init,
                const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  if (options.init_from || init || OperatorAccess::gives_of_nothing(shape.op)) return;
  if (shape.keys) return;  // No run is empty.
  const auto operator_name = [&shape] { return "operator " + std::string(shape.op.name()); };
  if (plan.variant().algorithm == Algorithm::reduce &&
      (n == 0 || shape.on_device.count || shape.segments)) {
    refuse("a reduction of nothing by " + operator_name() + ", which has no identity");
  }
  if (plan.variant().algorithm == Algorithm::scan &&
      (shape.kind == ScanKind::exclusive || shape.on_device.total)) {
    refuse("an exclusive scan or a total without an initial value by " + operator_name() +
           ", which has no identity");
  }
}

// Whether results may take the places of elements: where each is written over its own, or over
// earlier ones.
bool replaces(const detail::Plan& plan) {
  return replaces_elements(plan.shape()) && plan.variant().algorithm != Algorithm::reduce;
}

// No result is written over elements of an array, unless all are, each over its own.
void check_apart(const Device& device, const Placement& call, bool replaces,
                 const std::string& role, const ErasedView& output) {
  const auto shares = [&](const ErasedView& input, bool alike) {
    return overlap(device, input, output) &&
           !(replaces && alike && same_range(device, input, output));
  };
  if (shares(call.input, call.alike)) {
    refuse("input and " + role + " overlap without being the same range");
  }
  for (std::size_t j = 0; j < inputs_beside(call); ++j) {
    if (!shares(input_beside(call, j), call.alike_second)) continue;
    refuse(j == 0 && !replaces ? "second array and output overlap"
                               : "array " + std::to_string(j + 2) + " and " + role +
                                     " overlap without being the same range");
  }
}

// The views of the outputs: their types are the plan's, each has an element for each result, and no
// memory in common with the input or another one.
void check_outputs(const detail::Plan& plan, const Device& device, const Placement& call) {
  const PlanShape& shape = plan.shape();
  const std::size_t count = outputs_of(call);
  if (count != 1 + shape.more_outputs.size()) {
    refuse("the plan has " + std::to_string(1 + shape.more_outputs.size()) + " outputs, the call " +
           std::to_string(count));
  }
  const bool scans = plan.variant().algorithm == Algorithm::scan;
  const std::uint64_t wanted = scans ? call.n : 1;
  const bool any_count = shape.selection.has_value();
  for (std::size_t k = 0; k < count; ++k) {
    const ErasedView& output = output_at(call, k);
    const std::string role = k == 0 ? "output" : "output " + std::to_string(k + 1);
    if (output.type != (k == 0 ? shape.output : shape.more_outputs[k - 1].type)) {
      refuse(role + ": the view has another element type than the plan's");
    }
    check_view(device, output, Access::write, role.c_str());
    if (call.one_array && !any_count && output.count != wanted) {
      refuse("the " + role + " has " + std::to_string(output.count) + " elements instead of " +
             std::to_string(wanted));
    }
    check_apart(device, call, replaces(plan), role, output);
    for (std::size_t other = 0; other < k; ++other) {
      if (overlap(device, output_at(call, other), output)) {
        refuse("outputs " + std::to_string(other + 1) + " and " + std::to_string(k + 1) +
               " overlap");
      }
    }
  }
}

// Whether a result is written over elements of an array.
bool in_place(const Device& device, const Placement& call) {
  for (std::size_t k = 0; k < outputs_of(call); ++k) {
    const ErasedView& output = output_at(call, k);
    if (overlap(device, call.input, output)) return true;
    for (std::size_t j = 0; j < inputs_beside(call); ++j) {
      if (overlap(device, input_beside(call, j), output)) return true;
    }
  }
  return false;
}

void check_call(const detail::Plan& plan, const Device& device, const Placement& call,
                const std::optional<Value>& init, const CallOptions& options) {
  const ErasedView& input = call.input;
  const PlanShape& shape = plan.shape();
  if (!plan.runs_on(*device.state()->backend)) {
    refuse("the plan was made for another device than the queue's");
  }
  if (input.type != shape.input || call.output.type != shape.output) {
    refuse("the views have other element types than the plan");
  }
  if (values_on_device(options, shape.on_device.scalars) != shape.on_device) {
    refuse("the plan was made for other values in device memory");
  }
  check_scalars(shape, options.scalars);
  if (shape.lines == LineLayout::none && layout_of(options) != LineLayout::none)
    refuse("the plan was made for calls without lines");
  if (shape.segments != shape_of(options.segments)) {
    refuse(shape.segments ? "the plan was made for other segments"
                          : "the plan was made for calls without segments");
  }
  if (shape.keys.has_value() != options.keys.has_value()) {
    refuse(shape.keys ? "the plan was made for calls with keys"
                      : "the plan was made for calls without keys");
  }
  if (const std::uint64_t most = plan.most_elements(call.n); call.n > most) {
    throw Error(ErrorCategory::unsupported,
                std::string(plan.variant().name) + " takes at most " + std::to_string(most) +
                    " elements here, as loops of this device end after " +
                    std::to_string(device.capabilities().loop_turns) + " turns");
  }
  if (call.lines > 0) check_init(plan, call.n, init, options);
  check_view(device, input, Access::read, "input");
  check_inputs(plan, device, call);
  check_outputs(plan, device, call);
  if (options.segments) check_segments(device, call, *options.segments);
  if (options.keys) check_keys(device, call, *shape.keys, *options.keys);
}

// Most calls name none of them.
void check_device_values(const detail::Plan& plan, const Device& device, const Placement& call,
                         const CallOptions& options) {
  if (plan.shape().on_device.any()) check_values(plan, device, call, options);
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

// In the order of the plan, for which they were checked.
std::vector<CallScalar> scalars_of(const PlanShape& shape, const std::vector<Scalar>& given) {
  std::vector<CallScalar> all(shape.scalars.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Scalar& scalar = scalar_of(shape.scalars[i].declared, given);
    all[i].memory = range_of(scalar.from);
    if (!scalar.from) all[i].value = convert(scalar.value, accumulator_of(scalar.value.type()));
  }
  return all;
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
  if (shape.segments || shape.keys) {
    init.counted = {{shape.op, shape.accumulator, nothing}};
    return init;
  }
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
  const PlanShape& shape = plan.shape();
  if (shape.keys) return true;  // Their number is always written.
  if (lines == 0) return false;
  const bool writes = plan.variant().algorithm == Algorithm::reduce &&
                      (shape.lines != LineLayout::none || !shape.result_map.is_identity() ||
                       !shape.more_outputs.empty());
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

MoreRanges ranges_of(const std::vector<ErasedView>& views, std::uint64_t origin) {
  MoreRanges more;
  for (const ErasedView& view : views) {
    more.ranges.at(more.count++) = moved(range_of(view), origin);
  }
  return more;
}

CallLines lines_of(const Placement& call, const CallOptions& options) {
  CallLines lines = call.placed;
  lines.count.memory = range_of(options.lines_from);
  lines.init_of_each = options.init_from && options.init_from->count > 1;
  return lines;
}

CallSegments segments_of(const std::optional<Segments>& segments) {
  if (!segments) return {};
  return {range_of(segments->begins), range_of(segments->ends), range_of(segments->faults)};
}

CallKeys keys_of(const std::optional<Keys>& keys) {
  if (!keys) return {};
  return {range_of(keys->keys), range_of(keys->unique), range_of(keys->runs)};
}

// Nobody else counts them.
void clear_faults(backend::Queue& queue, const std::optional<Segments>& segments) {
  if (!segments || !segments->faults) return;
  const ErasedView& faults = *segments->faults;
  fill_elements(queue, faults.memory, faults.byte_offset, 1, Value(std::uint64_t{0}));
}

}  // namespace

std::uint64_t workspace_bytes(const detail::Plan& plan, std::uint64_t n) noexcept {
  const bool of_parts = plan.shape().lines == LineLayout::segments;
  return workspace_bytes(scratch_size(plan, n, of_parts ? no_limit : 1));
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
  if (placement.n == 0 && shape.lines != LineLayout::segments) start = nothing;
  const bool works = launches(plan, placement.n, placement.lines);
  const ScratchSize size = scratch_size(plan, placement.n, placement.lines);
  const bool borrows = options.workspace != nullptr && works;
  if (borrows) check_workspace(*options.workspace, state.device, size, placement, options);

  const std::vector<CallScalar> scalars = scalars_of(shape, options.scalars);
  const auto events = waitable(options.wait);

  const std::lock_guard lock(state.mutex);
  state.backend->check_wait(events);
  // A graph would hold on to the queue's own scratch, which other calls use and which moves.
  const char* own_scratch =
      !borrows && size.tagged_bytes + size.raw_bytes > 0 ? "a call without a workspace" : nullptr;
  if (own_scratch != nullptr) refuse_in_graph(state, own_scratch, events);
  if (plan.keeping().may_go() && state.backend->records_graph(events)) plan.keeping().stay();
  // What calls share is the queue's scratch: one that brings its own need not wait for the others.
  const OpenCall call(*state.backend, borrows ? options.ordering : backend::Ordering::queue);
  if (state.backend->lost_work()) state.arena.distrust();
  if (!works) {
    if (!events.empty()) state.backend->wait(events);
    clear_faults(*state.backend, options.segments);
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
      clear_faults(*state.backend, options.segments);
      plan.enqueue({{*state.backend, scalars},
                    {moved(placed_range_of(state.device, input), placement.input_origin),
                     moved(range_of(placement.second), placement.second_origin),
                     ranges_of(placement.more_inputs, placement.second_origin)},
                    moved(placed_range_of(state.device, output), placement.output_origin),
                    ranges_of(placement.more_outputs, placement.output_origin),
                    {placement.n, range_of(options.count_from)},
                    init_of(plan, start, nothing, options),
                    {range_of(options.total), first_of(plan, nothing)},
                    input.count > 0 && in_place(state.device, placement),
                    scratch,
                    lines_of(placement, options),
                    output.count,
                    segments_of(options.segments),
                    keys_of(options.keys)});
    } catch (...) {
      state.arena.distrust();
      plan.keeping().stay();  // Some of it may run.
      throw;
    }
  }
  const bool may_go = works && plan.keeping().may_go();
  if (options.done == nullptr && !may_go) return;
  try {
    const Event end = record(state);
    if (may_go) plan.keeping().add_work(end);
    if (options.done != nullptr) *options.done = end;
  } catch (...) {
    plan.keeping().stay();
    // The work is enqueued.
    if (options.done != nullptr) throw;
  }
}

}  // namespace bifold::core
