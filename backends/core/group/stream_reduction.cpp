#include "core/group/stream_reduction.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/state.hpp"

namespace bifold::core {

namespace {

const std::optional<ErasedView> no_view;
const std::optional<Lines> no_lines;
const std::vector<Event> no_events;

void run(const std::shared_ptr<const detail::Plan>& plan, Queue queue, const ErasedView& input,
         const std::optional<ErasedView>& second, const ErasedView& output,
         const Workspace* workspace) {
  run_plan(*plan, queue, {input, second, output}, {},
           {no_events, nullptr, workspace, no_view, no_view, no_view, no_lines, no_lines, no_lines,
            no_view, backend::Ordering::queue});
}

// From an element of that type, whose index counts from the begin of a part, which is the second
// array's.
Map moving_map(Type indexed) {
  const std::string index = "x.index == 0xffffffffffffffffull ? x.index : x.index + y";
  return "make_" + std::string(name_of(indexed)) + "(x.value, " + index + ")";
}

}  // namespace

StreamReduction::StreamReduction(StreamTransport& transport, std::vector<std::uint32_t> local,
                                 ReductionParts parts, const GroupReduction& asked, Operator op,
                                 Type accumulator, const std::optional<Value>& init)
    : ranks_(transport, std::move(local), parts.split(), parts.most()),
      parts_(std::move(parts)),
      asked_(asked),
      op_(std::move(op)),
      accumulator_(accumulator),
      init_(init),
      made_(ranks_.count()) {}

FoldSteps StreamReduction::steps() const {
  FoldSteps steps;
  if (init_) steps.places.push_back(ranks_.place_of_init());
  for (std::uint32_t rank = 0; rank < parts_.split().ranks(); ++rank) {
    for (std::size_t i = 0; i < parts_.of(rank).size(); ++i) {
      steps.places.push_back(ranks_.place(rank, i));
    }
  }
  steps.merges = parts_.merges(init_.has_value());
  steps.wanted = {steps.merges.size() - 1};
  return steps;
}

void StreamReduction::make(std::size_t local, const Elements& elements) {
  Rank& own = made_[local];
  const Queue& queue = elements.queue;
  const Device& device = queue.device();
  const std::vector<Interval>& parts = parts_.of(ranks_.rank(local));
  std::uint64_t scratch = 0;
  const auto plan = [&](const PlanShape& shape, std::uint64_t n) {
    auto found =
        find_plan(device, Algorithm::reduce, "production", shape, Caller{queue.state(), n});
    scratch = std::max(scratch, workspace_bytes(*found, n));
    return found;
  };
  PlanShape shape{.input = elements.input.type,
                  .accumulator = accumulator_,
                  .output = accumulator_,
                  .op = op_,
                  .map = asked_.map,
                  .order = asked_.order};
  if (elements.second) shape.second = elements.second->type;
  for (const Interval& part : parts) own.parts.push_back(plan(shape, part.size()));
  if (asked_.index_at && !parts.empty()) {
    shape.input = accumulator_;
    shape.map = moving_map(accumulator_);
    shape.second = Type::u64;
    own.move = plan(shape, 1);
    own.unmoved = DeviceArray(device, parts.size(), accumulator_);
    own.begins = DeviceArray(device, parts.size(), Type::u64);
    std::vector<std::byte> begins(parts.size() * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::memcpy(begins.data() + i * sizeof(std::uint64_t), &parts[i].begin,
                  sizeof(std::uint64_t));
    }
    upload(queue, own.begins.view(), std::move(begins));
  }
  if (asked_.result != accumulator_) {
    const PlanShape rounding{
        .input = accumulator_, .accumulator = accumulator_, .output = asked_.result, .op = op_};
    own.round = plan(rounding, 1);
    own.unrounded = DeviceArray(device, 1, accumulator_);
  }
  ranks_.make(local, elements, scratch, accumulator_, init_);
  own.fold.emplace(queue, op_, accumulator_, steps());
}

void StreamReduction::enqueue(const std::vector<Elements>& slices,
                              const std::vector<ErasedView>& results) {
  ranks_.exchange_fronts(slices);
  for (std::size_t i = 0; i < slices.size(); ++i) reduce_parts(i, slices[i]);
  ranks_.gather(slices);
  for (std::size_t i = 0; i < slices.size(); ++i) join(i, slices[i], results[i]);
}

void StreamReduction::reduce_parts(std::size_t local, const Elements& slice) {
  const Rank& own = made_[local];
  const std::uint32_t rank = ranks_.rank(local);
  const Staged& staged = ranks_.staged(local);
  const std::uint64_t begin = parts_.split().elements(rank).begin;
  const std::vector<Interval>& parts = parts_.of(rank);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool shared = i == 0 && parts_.split().front(rank) > 0;
    const auto place = [&](const ErasedView& view, const DeviceArray& copy) {
      return shared ? copy.view() : part(view, parts[i].begin - begin, parts[i].size());
    };
    std::optional<ErasedView> second;
    if (slice.second) second = place(*slice.second, staged.second);
    const ErasedView value = (own.move ? own.unmoved : ranks_.mine(local)).view(i, 1);
    run(own.parts[i], slice.queue, place(slice.input, staged.input), second, value,
        ranks_.workspace(local));
    if (!own.move) continue;
    run(own.move, slice.queue, value, own.begins.view(i, 1), ranks_.mine(local).view(i, 1),
        ranks_.workspace(local));
  }
}

void StreamReduction::join(std::size_t local, const Elements& slice, const ErasedView& result) {
  const Rank& own = made_[local];
  if (!own.fold) return;
  own.fold->enqueue(slice.queue, ranks_.all(local), own.round ? own.unrounded.view() : result);
  if (!own.round) return;
  run(own.round, slice.queue, own.unrounded.view(), no_view, result, ranks_.workspace(local));
}

}  // namespace bifold::core
