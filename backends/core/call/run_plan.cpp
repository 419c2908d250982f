#include "core/call/run_plan.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <string>
#include <tuple>

#include "core/device/fill.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/device/workspace.hpp"
#include "core/operators/initial_value.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// The second of two arrays has as many elements as the first; a call writes over neither.
void check_second(const detail::Plan& plan, const Device& device, const CallViews& views) {
  const std::optional<Type>& wanted = plan.shape().second;
  if (views.second.has_value() != wanted.has_value()) {
    refuse(wanted ? "the plan takes two arrays" : "the plan takes one array");
  }
  if (!wanted) return;
  if (views.second->type != *wanted) refuse("the second array has another type than the plan's");
  check_view(device, *views.second, Access::read, "second");
  if (views.second->count != views.input.count) {
    refuse("the second array has " + std::to_string(views.second->count) + " elements, the first " +
           std::to_string(views.input.count));
  }
  if (overlap(device, *views.second, views.output)) refuse("second array and output overlap");
}

// An operator without identity wants an initial value where nothing else would be the result.
void check_init(const detail::Plan& plan, std::uint64_t n, const std::optional<Value>& init,
                const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  if (options.init_from || init || shape.op.has_identity()) return;
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

void check_call(const detail::Plan& plan, const Device& device, const CallViews& views,
                const std::optional<Value>& init, const CallOptions& options) {
  const auto& [input, second, output] = views;
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
  if (const std::uint64_t most = plan.most_elements(input.count); input.count > most) {
    throw Error(ErrorCategory::unsupported,
                std::string(plan.variant().name) + " takes at most " + std::to_string(most) +
                    " elements here, as loops of this device end after " +
                    std::to_string(device.capabilities().loop_turns) + " turns");
  }
  check_init(plan, input.count, init, options);
  check_view(device, input, Access::read, "input");
  check_view(device, output, Access::write, "output");
  const bool scans = plan.variant().algorithm == Algorithm::scan;
  const std::uint64_t outputs = scans ? input.count : 1;
  if (output.count != outputs) {
    refuse("the output has " + std::to_string(output.count) + " elements instead of " +
           std::to_string(outputs));
  }
  if (overlap(device, input, output) && !(scans && same_range(device, input, output))) {
    refuse("input and output overlap without being the same range");
  }
  check_second(plan, device, views);
}

void check_value(const Device& device, const ErasedView& view, Type type, Access access,
                 const char* role) {
  if (view.count != 1) {
    refuse(std::string(role) + ": a view of 1 element is wanted, not of " +
           std::to_string(view.count));
  }
  if (view.type != type) {
    refuse(std::string(role) + ": the element is " + std::string(name_of(view.type)) +
           " instead of " + std::string(name_of(type)));
  }
  check_view(device, view, access, role);
}

// What kernels read of them may not be what they write.
void check_device_values(const detail::Plan& plan, const Device& device, const ErasedView& input,
                         const ErasedView& output, const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  const auto& [count_from, init_from, total] =
      std::tie(options.count_from, options.init_from, options.total);
  if (count_from) {
    check_value(device, *count_from, shape.on_device.count.value_or(Type::u64), Access::read,
                "count_from");
    if (overlap(device, *count_from, output)) refuse("count_from overlaps the output");
  }
  if (init_from) {
    check_value(device, *init_from, shape.accumulator, Access::read, "init_from");
    // A reduction reads its initial value last of all, and writes its result behind that.
    const bool accumulates =
        plan.variant().algorithm == Algorithm::reduce && same_range(device, *init_from, output);
    if (!accumulates && overlap(device, *init_from, output)) {
      refuse("init_from overlaps the output");
    }
  }
  if (total) {
    check_value(device, *total, shape.accumulator, Access::write, "total");
    if (overlap(device, *total, input)) refuse("total overlaps the input");
    if (overlap(device, *total, output)) refuse("total overlaps the output");
    if (count_from && overlap(device, *total, *count_from)) refuse("total overlaps count_from");
    if (init_from && overlap(device, *total, *init_from)) refuse("total overlaps init_from");
  }
}

void check_workspace(const Workspace& workspace, const Device& device, ScratchSize size,
                     const CallViews& views, const CallOptions& options) {
  check_view(device, workspace.memory(), Access::both, "workspace");
  const std::uint64_t needed = workspace_bytes(size);
  if (workspace.size() < needed) {
    refuse("the workspace has " + std::to_string(workspace.size()) + " bytes, this call needs " +
           std::to_string(needed));
  }
  const auto overlaps = [&](const ErasedView& view) {
    return overlap(device, workspace.memory(), view);
  };
  if (overlaps(views.input) || overlaps(views.output) ||
      (views.second && overlaps(*views.second))) {
    refuse("the workspace overlaps the data");
  }
  for (const auto* value : {&options.count_from, &options.init_from, &options.total}) {
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

// Whether a call of no elements has something to launch: values that only the device knows.
bool launches(const detail::Plan& plan, std::uint64_t n) noexcept {
  return n > 0 || plan.shape().on_device.any();
}

ScratchSize scratch_size(const detail::Plan& plan, std::uint64_t n) noexcept {
  return launches(plan, n) ? plan.scratch_size(std::max<std::uint64_t>(n, 1)) : ScratchSize{};
}

}  // namespace

std::uint64_t workspace_bytes(const detail::Plan& plan, std::uint64_t n) noexcept {
  return workspace_bytes(scratch_size(plan, n));
}

void run_plan(const detail::Plan& plan, Queue& queue, const CallViews& views,
              const std::optional<Value>& init, const CallOptions& options,
              const std::optional<Value>& of_nothing) {
  const auto& [input, second, output] = views;
  detail::QueueState& state = queue.state();
  const PlanShape& shape = plan.shape();
  check_call(plan, state.device, views, init, options);
  check_device_values(plan, state.device, input, output, options);
  std::optional<Value> start;
  if (init && !options.init_from) start = initial_value(shape.op, *init, shape.accumulator);
  std::optional<Value> nothing = of_nothing ? of_nothing : start;
  if (shape.op.has_identity()) {
    if (!start) start = shape.op.identity(shape.accumulator);
    if (!nothing) nothing = shape.op.of_nothing(shape.accumulator);
  }
  if (input.count == 0) start = nothing;
  const bool works = launches(plan, input.count);
  const ScratchSize size = scratch_size(plan, input.count);
  const bool borrows = options.workspace != nullptr && works;
  if (borrows) check_workspace(*options.workspace, state.device, size, views, options);

  const auto events = waitable(options.wait);

  const std::lock_guard lock(state.mutex);
  state.backend->check_wait(events);
  // A graph would hold on to the queue's own scratch, which other calls use and which moves.
  const char* own_scratch =
      !borrows && size.tagged_bytes + size.raw_bytes > 0 ? "a call without a workspace" : nullptr;
  if (own_scratch != nullptr) refuse_in_graph(state, own_scratch, events);
  // What calls share is the queue's scratch: one that brings its own need not wait for the others.
  const OpenCall call(*state.backend,
                      borrows ? backend::Ordering::events : backend::Ordering::queue);
  if (state.backend->lost_work()) state.arena.distrust();
  if (!works) {
    if (!events.empty()) state.backend->wait(events);
    // A scan of nothing writes nothing.
    if (output.count > 0 && start) {
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
                    {placed_range_of(state.device, input), range_of(second)},
                    placed_range_of(state.device, output),
                    {input.count, range_of(options.count_from)},
                    init_of(plan, start, nothing, options),
                    {range_of(options.total), first_of(plan, nothing)},
                    input.count > 0 && same_range(state.device, input, output),
                    scratch});
    } catch (...) {
      state.arena.distrust();
      throw;
    }
  }
  if (options.done != nullptr) *options.done = record(state);
}

}  // namespace bifold::core
