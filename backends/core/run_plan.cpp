#include <array>
#include <bifold/error.hpp>
#include <string>

#include "core/fill.hpp"
#include "core/plan.hpp"
#include "core/ranges.hpp"
#include "core/state.hpp"
#include "core/workspace_layout.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

void check_call(const detail::Plan& plan, const Device& device, const ErasedView& input,
                const ErasedView& output, const Value& init) {
  const PlanShape& shape = plan.shape();
  if (!plan.runs_on(*device.state()->backend)) {
    refuse("the plan was made for another device than the queue's");
  }
  if (input.type != shape.input || output.type != shape.output) {
    refuse("the views have other element types than the plan");
  }
  if (init.type() != shape.accumulator) {
    refuse("the initial value is " + std::string(name_of(init.type())) + ", the accumulator is " +
           std::string(name_of(shape.accumulator)));
  }
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
}

void check_workspace(const Workspace& workspace, const Device& device, ScratchSize size,
                     const ErasedView& input, const ErasedView& output) {
  check_view(device, workspace.memory(), Access::both, "workspace");
  const std::uint64_t needed = workspace_bytes(size);
  if (workspace.size() < needed) {
    refuse("the workspace has " + std::to_string(workspace.size()) + " bytes, this call needs " +
           std::to_string(needed));
  }
  for (const ErasedView& view : {input, output}) {
    if (overlap(device, workspace.memory(), view)) refuse("the workspace overlaps the data");
  }
}

// The caller's memory as scratch; a raw one has its tagged words zeroed first.
Scratch borrow(const Workspace& workspace, detail::QueueState& queue, ScratchSize size) {
  Scratch scratch = layout(queue.device, workspace.memory());
  if (!workspace.prepared() && size.tagged_bytes > 0) {
    scratch.tagged_bytes = size.tagged_bytes;
    queue.backend->fill(scratch.tagged, scratch.tagged_offset, scratch.tagged_bytes,
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

Range range_of(const ErasedView& view) {
  return {view.memory, view.byte_offset / size_of(view.type)};
}

}  // namespace

void run_plan(const detail::Plan& plan, Queue& queue, const ErasedView& input,
              const ErasedView& output, const Value& init, const std::vector<Event>& wait,
              Event* done, const Workspace* workspace) {
  detail::QueueState& state = queue.state();
  check_call(plan, state.device, input, output, init);
  const Value lifted = lift(plan.shape().op, init);
  const ScratchSize size = input.count > 0 ? plan.scratch_size(input.count) : ScratchSize{};
  const bool borrows = workspace != nullptr && input.count > 0;
  if (borrows) check_workspace(*workspace, state.device, size, input, output);

  const auto events = waitable(wait);

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
  if (input.count == 0) {
    if (!events.empty()) state.backend->wait(events);
    // A scan of nothing writes nothing; a reduction of nothing is its initial value.
    if (output.count > 0) {
      fill_elements(*state.backend, output.memory, output.byte_offset, 1, lifted);
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
      if (borrows) scratch = borrow(*workspace, state, size);
      plan.enqueue({*state.backend, range_of(input), range_of(output), input.count, lifted,
                    same_range(state.device, input, output), scratch});
    } catch (...) {
      state.arena.distrust();
      throw;
    }
  }
  if (done != nullptr) *done = record(state);
}

}  // namespace bifold::core
