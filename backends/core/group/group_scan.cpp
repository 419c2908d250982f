#include "core/group/group_scan.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstddef>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/group/fold.hpp"
#include "core/group/group_work.hpp"
#include "core/group/parts.hpp"
#include "core/group/stream_scan.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

Type accumulator_of_call(const std::vector<ScanSlice>& slices, const GroupScan& asked) {
  if (asked.options.accumulate) return *asked.options.accumulate;
  return slices.empty() ? Type() : accumulator_of(slices.front().output.type);
}

std::vector<Elements> elements_of(const std::vector<ScanSlice>& slices) {
  std::vector<Elements> elements;
  elements.reserve(slices.size());
  for (const ScanSlice& slice : slices) elements.push_back({slice.queue, slice.input, {}});
  return elements;
}

class GroupScanner final : GroupWork {
 public:
  GroupScanner(const Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
               Numbered numbered = Numbered::yes)
      : GroupWork(group, elements_of(slices), asked.op, accumulator_of_call(slices, asked),
                  asked.options.order, numbered),
        asked_(asked),
        outputs_(slices),
        staged_(slices.size()) {}
  // Of a run.
  GroupScanner(const Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
               const PlannedScan& planned, Numbered numbered)
      : GroupScanner(group, slices, asked, numbered) {
    planned_ = &planned;
  }

  void run() { finish(planned_ == nullptr ? give() : give(planned_->agreed)); }

  void plan(PlannedScan& planned, StreamTransport* transport) {
    planned.agreed = agree();
    for (const ScanSlice& slice : outputs_) planned.outputs.push_back(slice.output.type);
    planned.with_total = with_total();
    const Split split = split_of(planned.agreed.counts);
    if (transport == nullptr || split.n() == 0) return;
    call_.each([&](std::size_t i) {
      if (!planned.stream) {
        transport->check(queues());
        planned.stream =
            std::make_unique<StreamScan>(*transport, call_.local(), totals_of(split),
                                         shape_of(i, false), one_total_, with_total(), init_);
      }
      planned.stream->make(i, slices_[i]);
    });
    static_cast<void>(call_.gather(0, values_));
  }

  void enqueue(StreamScan* stream) {
    GroupWork::check(planned_->agreed);
    const Split split = split_of(planned_->agreed.counts);
    if (split.n() == 0) {
      if (with_total()) leave_totals(totals_of(split));
      return;
    }
    try {
      stream->enqueue(outputs_);
    } catch (...) {
      call_.end_group();
    }
  }

 private:
  void finish(const Given& given) {
    const ScanTotals totals = totals_of(given.split);
    try {
      fold_totals(totals, given.values);
      scan_slices(totals);
    } catch (...) {
      if (!gathers_total(given.split)) throw;
      for (std::size_t i = 0; i < outputs_.size(); ++i) call_.fail(i, error_of_exception());
    }
    if (with_total()) leave_totals(totals);
  }

  // What a local rank's two scans begin with, if anything.
  struct Carries {
    std::optional<Value> head;
    std::optional<Value> rest;
  };

  // Ranks that disagree about it have been refused.
  [[nodiscard]] bool with_total() const {
    return planned_ != nullptr ? planned_->with_total : outputs_.front().total.has_value();
  }

  [[nodiscard]] Split split_of(const std::vector<std::uint64_t>& counts) const override {
    return {counts, unit_of_scan(op_, accumulator_, order_), Fronts::of_elements};
  }

  [[nodiscard]] ScanTotals totals_of(const Split& split) const {
    return {split, one_total_, init_.has_value(), with_total()};
  }

  [[nodiscard]] std::size_t most_values(const Split& split) const override {
    return totals_of(split).most();
  }

  [[nodiscard]] PlanShape shape_of(std::size_t i, bool total) const {
    return {.input = outputs_[i].input.type,
            .accumulator = accumulator_,
            .output = outputs_[i].output.type,
            .kind = asked_.kind,
            .op = op_,
            .map = asked_.map,
            .on_device = {{}, false, total, {}},
            .order = order_};
  }

  [[nodiscard]] std::shared_ptr<const detail::Plan> plan(std::size_t i, std::uint64_t n,
                                                         bool total) const {
    const Queue& queue = outputs_[i].queue;
    return find_plan(queue.device(), Algorithm::scan, "production", shape_of(i, total),
                     Caller{queue.state(), n});
  }

  void check_total(const ScanSlice& slice, const ErasedView& total) const {
    const Device& device = slice.queue.device();
    if (total.count != 1 || total.type != accumulator_) {
      refuse("total: one element of the accumulator's type is wanted");
    }
    check_view(device, total, Access::write, "total");
    if (overlap(device, total, slice.input)) refuse("total overlaps the input");
    if (overlap(device, total, slice.output)) refuse("total overlaps the output");
  }

  // Nothing orders the work of ranks on memory that they share.
  void check_others(std::size_t i) const {
    const Device& device = outputs_[i].queue.device();
    const auto& [queue, input, output, total] = outputs_[i];
    const auto refuse_shared = [&](const char* what, const ErasedView& own, std::size_t j) {
      const bool with_input = overlap(device, own, outputs_[j].input);
      if (!with_input && !overlap(device, own, outputs_[j].output)) return;
      refuse(std::string(what) + " overlaps the " + (with_input ? "input" : "output") +
             " of rank " + std::to_string(call_.local()[j]));
    };
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      if (i == j || !same_context(device, outputs_[j].queue.device())) continue;
      refuse_shared("the output", output, j);
      if (total) refuse_shared("total", *total, j);
    }
  }

  void check(std::size_t i) override {
    const ScanSlice& slice = outputs_[i];
    if (planned_ != nullptr) {
      if (slice.output.type != planned_->outputs[i]) refuse("the outputs' type is not the plan's");
      if (slice.total.has_value() != planned_->with_total) {
        refuse("whether there is a total is not as in the plan");
      }
    }
    const auto whole = plan(i, slice.input.count, false);
    const std::optional<ErasedView> none;
    const std::optional<Lines> no_lines;
    const std::vector<Event> no_events;
    check_plan(*whole, slice.queue.device(), {slice.input, none, slice.output}, asked_.init,
               {no_events, nullptr, nullptr, none, none, none, no_lines, no_lines, no_lines, none});
    if (slice.total) check_total(slice, *slice.total);
    check_others(i);
  }

  Opening prepare(std::size_t i) override {
    const ScanSlice& slice = outputs_[i];
    refuse_index(asked_.map);
    static_cast<void>(plan(i, slice.input.count, false));
    if (asked_.init) init_ = initial_value(op_, *asked_.init, accumulator_);
    const bool needs_nothing = slice.total || asked_.kind == ScanKind::exclusive;
    if (needs_nothing && !init_ && !OperatorAccess::gives_of_nothing(op_)) {
      refuse("a total or an exclusive scan without an initial value by operator " +
             std::string(op_.name()) + ", which has no identity");
    }
    Opening opening = opening_of(i, asked_.map, slice.output.type);
    at(opening.terms, Term::kind) = 1 + static_cast<std::uint64_t>(asked_.kind);
    at(opening.terms, Term::total) = slice.total ? 1 : 0;
    return opening;
  }

  void compute(const Split& split) override {
    const ScanTotals totals = totals_of(split);
    if (!split.borders().empty()) staged_ = exchange_fronts(call_, split, slices_);
    std::vector<DeviceArray> results(outputs_.size());
    call_.each([&](std::size_t i) {
      values_[i].clear();
      const std::uint64_t count = totals.of(call_.local()[i]);
      if (count == 0) return;
      results[i] = DeviceArray(slices_[i].queue.device(), count, accumulator_);
      if (one_total_) {
        reduce_part(i, slices_[i].input, op_, results[i].view());
      } else {
        total_groups(split, i, results[i]);
      }
    });
    call_.each([&](std::size_t i) { values_[i] = download(slices_[i].queue, results[i].view()); });
    call_.each([&](std::size_t i) { make_ready(totals, i); });
  }

  void reduce_part(std::size_t i, const ErasedView& input, const Operator& op,
                   const ErasedView& results, const std::optional<Lines>& lines = {}) {
    Queue queue = slices_[i].queue;
    ReduceOptions options;
    options.order = order_;
    options.lines = lines;
    transform_reduce_into(queue, input, results, op, {}, asked_.map, options);
  }

  // A group's total is the reduction of its elements in index order.
  void total_groups(const Split& split, std::size_t i, const DeviceArray& results) {
    const Operator op = OperatorAccess::in_order(op_, accumulator_);
    const Interval head = split.head(call_.local()[i]);
    const std::uint64_t shared = head.empty() ? 0 : 1;
    const std::uint64_t count = results.view().count - shared;
    if (shared > 0) reduce_part(i, staged_[i].input.view(), op, results.view(0, 1));
    if (count == 0) return;
    const std::uint64_t group = unit_of_scan(op_, accumulator_, order_);
    const ErasedView whole = part(slices_[i].input, head.size(), count * group);
    reduce_part(i, whole, op, results.view(shared, count), Lines::rows(count, group));
  }

  // Plans what scan_slices() will run, while a failure can still be told to all.
  void make_ready(const ScanTotals& totals, std::size_t i) {
    const Split& split = totals.split();
    const std::uint32_t rank = call_.local()[i];
    const std::uint64_t head = staged_[i].input.view().count;
    const std::uint64_t rest = split.elements(rank).size() - split.head(rank).size();
    const bool total = totals.leaves_total(rank);
    if (head > 0) static_cast<void>(plan(i, head, total && rest == 0));
    if (rest > 0) static_cast<void>(plan(i, rest, total));
    if (head > 0) staged_outputs_.resize(outputs_.size());
    const Device& device = slices_[i].queue.device();
    if (head > 0) staged_outputs_[i] = DeviceArray(device, head, outputs_[i].output.type);
    if (total) total_ = DeviceArray(device, 1, accumulator_);
  }

  // The fold of init and the totals, as far as each local rank wants it.
  void fold_totals(const ScanTotals& totals, std::span<const std::byte> all) {
    const Split& split = totals.split();
    const std::size_t size = size_of(accumulator_);
    const std::size_t stride = totals.most() * size;
    std::vector<std::byte> values;
    if (init_) values.assign(init_->data(), init_->data() + size);
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      const std::byte* const from = all.data() + rank * stride;
      values.insert(values.end(), from, from + totals.of(rank) * size);
    }
    const std::uint64_t count = totals.values();
    std::vector<std::uint64_t> wanted;
    const auto want = [&wanted](std::uint64_t behind) {
      if (behind > 0 && (wanted.empty() || wanted.back() < behind - 1)) {
        wanted.push_back(behind - 1);
      }
    };
    for (const std::uint32_t rank : call_.local()) {
      if (split.elements(rank).empty()) continue;
      want(totals.before(rank));
      if (totals.has_rest(rank)) want(totals.before_rest(rank));
    }
    const bool whole = one_total_ && with_total();
    if (whole) want(count);
    std::vector<std::uint32_t> merges(count, 1);
    if (count > 0) merges.front() = 0;
    const std::vector<Value> folded =
        fold(call_.folds(), slices_.front().queue, op_, accumulator_, values, merges, wanted);
    const auto carry = [&](std::uint64_t behind) -> std::optional<Value> {
      if (behind == 0) return {};
      const auto found = std::lower_bound(wanted.begin(), wanted.end(), behind - 1);
      return folded[static_cast<std::size_t>(found - wanted.begin())];
    };
    carries_.assign(outputs_.size(), {});
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::uint32_t rank = call_.local()[i];
      if (split.elements(rank).empty()) continue;
      carries_[i].head = carry(totals.before(rank));
      if (totals.has_rest(rank)) carries_[i].rest = carry(totals.before_rest(rank));
    }
    if (whole && split.n() > 0) whole_ = carry(count);
  }

  // From here on outputs are written.
  void scan_slices(const ScanTotals& totals) {
    const Split& split = totals.split();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::uint32_t rank = call_.local()[i];
      const auto& [queue, input, output, unused] = outputs_[i];
      const std::uint64_t own = split.head(rank).size();
      const std::uint64_t rest = split.elements(rank).size() - own;
      std::optional<ErasedView> total;
      if (totals.leaves_total(rank)) total = total_.view();
      if (own > 0) {
        const ErasedView scanned = staged_outputs_[i].view();
        scan_part(i, staged_[i].input.view(), scanned, carries_[i].head,
                  rest == 0 ? total : std::nullopt);
        copy_any(queue, part(scanned, scanned.count - own, own), part(output, 0, own));
      }
      if (rest > 0) {
        scan_part(i, part(input, own, rest), part(output, own, rest), carries_[i].rest, total);
      }
    }
  }

  void scan_part(std::size_t i, const ErasedView& input, const ErasedView& output,
                 const std::optional<Value>& init, const std::optional<ErasedView>& total) {
    Queue queue = slices_[i].queue;
    ScanOptions options;
    options.accumulate = accumulator_;
    options.order = order_;
    options.total = total;
    bifold::transform_scan(queue, asked_.kind, input, output, op_, init, asked_.map, options);
  }

  [[nodiscard]] bool gathers_total(const Split& split) const {
    return with_total() && !one_total_ && split.n() > 0;
  }

  // In order v1 the total is what the last rank's scan ends with.
  void leave_totals(const ScanTotals& totals) {
    const Split& split = totals.split();
    const std::size_t size = size_of(accumulator_);
    if (split.n() == 0) {
      whole_ = init_ ? *init_ : op_.of_nothing(accumulator_);
    } else if (gathers_total(split)) {
      std::vector<std::vector<std::byte>> mine(outputs_.size());
      call_.each([&](std::size_t i) {
        if (call_.local()[i] == totals.last()) mine[i] = download(slices_[i].queue, total_.view());
      });
      const std::vector<std::byte> all = call_.gather(size, mine);
      whole_ = Value::from_bytes(accumulator_, all.data() + totals.last() * size);
    }
    for (const ScanSlice& slice : outputs_) {
      Queue queue = slice.queue;
      if (slice.total && whole_) queue.fill(*slice.total, *whole_);
    }
  }

  const GroupScan& asked_;
  const std::vector<ScanSlice>& outputs_;
  std::vector<Staged> staged_;
  std::vector<DeviceArray> staged_outputs_;
  std::vector<Carries> carries_;
  DeviceArray total_;           // Of the last rank's scan.
  std::optional<Value> whole_;  // Of all ranks.
  const PlannedScan* planned_ = nullptr;
};

}  // namespace

void scan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked) {
  prepared_over(group, [&] { return asked.op.id(); });  // Whether it was moved from.
  GroupScanner(group, slices, asked).run();
}

PlannedScan::PlannedScan() = default;
PlannedScan::~PlannedScan() = default;

void plan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
               PlannedScan& planned) {
  GroupScanner(group, slices, asked).plan(planned, group.state().streams);
}

void run_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
              const PlannedScan& planned) {
  GroupScanner(group, slices, asked, planned, Numbered::yes).run();
}

void enqueue_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
                  PlannedScan& planned) {
  GroupScanner(group, slices, asked, planned, Numbered::no).enqueue(planned.stream.get());
}

}  // namespace bifold::core
