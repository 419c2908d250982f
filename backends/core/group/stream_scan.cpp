#include "core/group/stream_scan.hpp"

#include <algorithm>
#include <utility>

#include "core/call/find_plan.hpp"
#include "core/call/placement.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/state.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

namespace {

const std::optional<ErasedView> no_view;
const std::optional<Lines> no_lines;
const std::vector<Event> no_events;

CallOptions options_of(const Workspace* workspace, const std::optional<ErasedView>& init_from,
                       const std::optional<ErasedView>& total, const std::optional<Lines>& lines) {
  return {no_events,
          nullptr,
          workspace,
          no_view,
          init_from,
          total,
          lines,
          no_lines,
          no_lines,
          no_view,
          backend::Ordering::queue};
}

// Values that are wanted of a fold from the left, ascending: the one behind so many.
class Wanted {
 public:
  std::uint64_t behind(std::uint64_t count) {
    if (list_.empty() || list_.back() < count - 1) list_.push_back(count - 1);
    return list_.size() - 1;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& list() const noexcept { return list_; }

 private:
  std::vector<std::uint64_t> list_;
};

}  // namespace

StreamScan::StreamScan(StreamTransport& transport, std::vector<std::uint32_t> local,
                       ScanTotals totals, PlanShape shape, bool one_total, bool with_total,
                       const std::optional<Value>& init)
    : ranks_(transport, std::move(local), totals.split(), totals.most()),
      totals_(std::move(totals)),
      shape_(std::move(shape)),
      one_total_(one_total),
      with_total_(with_total),
      init_(init),
      made_(ranks_.count()),
      sends_total_(with_total && !one_total),
      last_total_(ranks_.count()),
      all_totals_(ranks_.count()) {}

std::uint64_t StreamScan::head_size(std::uint32_t rank) const {
  return totals_.split().head(rank).size();
}

std::uint64_t StreamScan::rest_size(std::uint32_t rank) const {
  return totals_.split().elements(rank).size() - head_size(rank);
}

void StreamScan::make(std::size_t local, const Elements& elements) {
  Rank& own = made_[local];
  const Queue& queue = elements.queue;
  const Device& device = queue.device();
  const Split& split = totals_.split();
  const std::uint32_t rank = ranks_.rank(local);
  std::uint64_t scratch = 0;
  const auto plan = [&](Algorithm algorithm, const PlanShape& shape, std::uint64_t n) {
    auto found = find_plan(device, algorithm, "production", shape, Caller{queue.state(), n});
    scratch = std::max(scratch, workspace_bytes(*found, n));
    return found;
  };
  PlanShape totals{.input = shape_.input,
                   .accumulator = shape_.accumulator,
                   .output = shape_.accumulator,
                   .op = shape_.op,
                   .map = shape_.map,
                   .order = shape_.order};
  const std::uint64_t staged = split.front(rank) + head_size(rank);
  const std::uint64_t shared = split.front(rank) > 0 ? 1 : 0;
  const std::uint64_t count = totals_.of(rank);
  if (count > 0 && one_total_) own.shared = plan(Algorithm::reduce, totals, elements.input.count);
  if (count > 0 && !one_total_) {
    totals.op = OperatorAccess::in_order(shape_.op, shape_.accumulator);
    if (shared > 0) own.shared = plan(Algorithm::reduce, totals, staged);
    if (count > shared) {
      const std::uint64_t group = unit_of_scan(shape_.op, shape_.accumulator, shape_.order);
      const Lines lines = Lines::rows(count - shared, group);
      own.lines = lines;
      totals.lines = layout_of(options_of(nullptr, no_view, no_view, own.lines));
      own.groups = plan(Algorithm::reduce, totals, group);
      scratch = std::max(scratch, workspace_bytes(*own.groups, lines));
    }
  }

  Wanted wanted;
  const auto part_of = [&](std::uint64_t n, std::uint64_t before, bool total) {
    Part part;
    if (n == 0) return part;
    if (before == 1 && init_) {
      part.init = init_;
    } else if (before > 0) {
      part.folded = wanted.behind(before);
    }
    PlanShape shape = shape_;
    shape.on_device.init = part.folded.has_value();
    shape.on_device.total = total;
    part.plan = plan(Algorithm::scan, shape, n);
    return part;
  };
  const bool total = totals_.leaves_total(rank);
  const std::uint64_t rest = rest_size(rank);
  own.head = part_of(shared > 0 ? staged : 0, totals_.before(rank), total && rest == 0);
  own.rest = part_of(rest, totals_.before_rest(rank), total);
  if (shared > 0) own.head_output = DeviceArray(device, staged, shape_.output);
  if (one_total_ && with_total_ && totals_.values() > 0) {
    own.whole = wanted.behind(totals_.values());
  }

  ranks_.make(local, elements, scratch, shape_.accumulator, init_);
  if (!wanted.list().empty()) {
    FoldSteps steps;
    if (init_) steps.places.push_back(ranks_.place_of_init());
    for (std::uint32_t one = 0; one < split.ranks(); ++one) {
      for (std::uint64_t i = 0; i < totals_.of(one); ++i) {
        steps.places.push_back(ranks_.place(one, i));
      }
    }
    // What follows the last one that is wanted is not looked at.
    steps.places.resize(wanted.list().back() + 1);
    steps.merges.assign(steps.places.size(), 1);
    steps.merges.front() = 0;
    steps.wanted = wanted.list();
    own.folded = DeviceArray(device, steps.wanted.size(), shape_.accumulator);
    own.fold.emplace(queue, shape_.op, shape_.accumulator, steps);
  }
  if (!sends_total_) return;
  last_total_[local] = DeviceArray(device, 1, shape_.accumulator);
  all_totals_[local] = DeviceArray(device, split.ranks(), shape_.accumulator);
}

void StreamScan::enqueue(const std::vector<ScanSlice>& slices) {
  std::vector<Elements> elements;
  elements.reserve(slices.size());
  for (const ScanSlice& slice : slices) elements.push_back({slice.queue, slice.input, {}});
  ranks_.exchange_fronts(elements);
  for (std::size_t i = 0; i < slices.size(); ++i) total(i, elements[i]);
  ranks_.gather(elements);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Rank& own = made_[i];
    if (own.fold) own.fold->enqueue(slices[i].queue, ranks_.all(i), own.folded.view());
    scan(i, slices[i]);
  }
  if (with_total_) leave_totals(slices, elements);
}

void StreamScan::total(std::size_t local, const Elements& slice) {
  const Rank& own = made_[local];
  Queue queue = slice.queue;
  const auto reduce = [&](const PlanPointer& plan, const ErasedView& input, std::uint64_t first,
                          std::uint64_t count, const std::optional<Lines>& lines) {
    const ErasedView totals = ranks_.mine(local).view(first, count);
    run_plan(*plan, queue, {input, no_view, totals}, {},
             options_of(ranks_.workspace(local), no_view, no_view, lines));
  };
  if (own.shared) {
    reduce(own.shared, one_total_ ? slice.input : ranks_.staged(local).input.view(), 0, 1,
           no_lines);
  }
  if (!own.groups || !own.lines) return;
  const std::uint64_t count = own.lines->count();
  const ErasedView whole =
      part(slice.input, head_size(ranks_.rank(local)), count * own.lines->length);
  reduce(own.groups, whole, own.shared ? 1 : 0, count, own.lines);
}

void StreamScan::run(const Part& part, std::size_t local, Queue queue, const ErasedView& input,
                     const ErasedView& output, const std::optional<ErasedView>& total) {
  std::optional<ErasedView> init_from;
  if (part.folded) init_from = made_[local].folded.view(*part.folded, 1);
  run_plan(*part.plan, queue, {input, no_view, output}, part.init,
           options_of(ranks_.workspace(local), init_from, total, no_lines));
}

void StreamScan::scan(std::size_t local, const ScanSlice& slice) {
  const Rank& own = made_[local];
  const std::uint32_t rank = ranks_.rank(local);
  const std::uint64_t shared = head_size(rank);
  std::optional<ErasedView> total;
  if (totals_.leaves_total(rank)) total = last_total_[local].view();
  if (own.head.plan) {
    const ErasedView scanned = own.head_output.view();
    run(own.head, local, slice.queue, ranks_.staged(local).input.view(), scanned,
        own.rest.plan ? std::nullopt : total);
    copy_any(slice.queue, part(scanned, scanned.count - shared, shared),
             part(slice.output, 0, shared));
  }
  if (!own.rest.plan) return;
  const std::uint64_t rest = rest_size(rank);
  run(own.rest, local, slice.queue, part(slice.input, shared, rest),
      part(slice.output, shared, rest), total);
}

void StreamScan::leave_totals(const std::vector<ScanSlice>& slices,
                              const std::vector<Elements>& elements) {
  if (sends_total_) ranks_.gather(elements, last_total_, all_totals_);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const ErasedView total = sends_total_ ? all_totals_[i].view(totals_.last(), 1)
                                          : made_[i].folded.view(made_[i].whole.value_or(0), 1);
    if (const auto& to = slices[i].total) copy_any(slices[i].queue, total, *to);
  }
}

}  // namespace bifold::core
