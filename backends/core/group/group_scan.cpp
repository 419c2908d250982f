#include "core/group/group_scan.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstddef>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/call/placement.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/group/fold.hpp"
#include "core/group/fronts.hpp"
#include "core/group/group_work.hpp"
#include "core/group/stream_scan.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/slices/parts.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

Type accumulator_of_call(const std::vector<ScanSlice>& slices, const GroupScan& asked) {
  if (asked.options.accumulate) return *asked.options.accumulate;
  return slices.empty() ? Type() : accumulator_of(slices.front().output.type);
}

const std::optional<ErasedView> no_view;
const std::optional<Lines> no_lines;
const std::vector<Event> no_events;

class GroupScanner final : GroupWork {
 public:
  GroupScanner(const Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
               Numbered numbered = Numbered::yes)
      : GroupWork(group, slices.size(), asked.op, accumulator_of_call(slices, asked),
                  asked.options.order, numbered),
        asked_(asked),
        outputs_(slices) {
    for (const ScanSlice& slice : slices) slices_.push_back({slice.queue, slice.input, {}});
  }
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
    if (transport == nullptr || totals_->split().n() == 0) return;
    call_.each([&](std::size_t i) {
      if (!planned.stream) {
        transport->check(queues());
        planned.stream =
            std::make_unique<StreamScan>(*transport, call_.local(), *totals_, shape_of(i, false),
                                         one_total_, with_total(), init_);
      }
      planned.stream->make(i, slices_[i]);
    });
    static_cast<void>(call_.gather(0, values_));
  }

  void enqueue(StreamScan* stream) {
    GroupWork::check(planned_->agreed);
    if (set_split(planned_->agreed.counts).n() == 0) {
      if (with_total()) leave_totals();
      return;
    }
    try {
      stream->enqueue(outputs_);
    } catch (...) {
      call_.end_group();
    }
  }

 private:
  void finish(const Gathered& all) {
    try {
      fold_totals(all);
      scan_slices();
    } catch (...) {
      if (!gathers_total()) throw;
      for (std::size_t i = 0; i < outputs_.size(); ++i) call_.fail(i, error_of_exception());
    }
    if (with_total()) leave_totals();
  }

  // Ranks that disagree about it have been refused.
  [[nodiscard]] bool with_total() const {
    return planned_ != nullptr ? planned_->with_total : outputs_.front().total.has_value();
  }

  const Split& set_split(const std::vector<std::uint64_t>& counts) override {
    totals_ =
        call_.group().scans.of(counts, unit_of_scan(op_, accumulator_, order_), Fronts::of_elements,
                               one_total_, init_.has_value(), with_total());
    return totals_->split();
  }

  [[nodiscard]] std::size_t most_values() const override { return totals_->most(); }

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
    check_plan(*whole, slice.queue.device(), {slice.input, no_view, slice.output}, asked_.init,
               {no_events, nullptr, nullptr, no_view, no_view, no_view, no_lines, no_lines,
                no_lines, no_view});
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

  void compute() override {
    const Split& split = totals_->split();
    reserve([&](std::size_t i) {
      MemoryNeeds needs;
      const std::uint32_t rank = call_.local()[i];
      needs.add_results(totals_->of(rank), accumulator_);
      if (totals_->leaves_total(rank)) needs.add_results(1, accumulator_);
      add_front(needs, split, rank, slices_[i]);
      needs.add_device(staged_size(rank), outputs_[i].output.type);
      if (i == 0) add_fold(needs, op_, accumulator_, 2 * slices_.size() + 1);
      return needs;
    });
    records_.staged.assign(slices_.size(), {});
    if (!split.borders().empty()) exchange_fronts(call_, split);
    records_.results.assign(slices_.size(), {});
    call_.each([&](std::size_t i) {
      const std::uint64_t count = totals_->of(call_.local()[i]);
      records_.results[i] = call_.memory_of(i).take_results(count, accumulator_);
      if (count == 0) return;
      if (one_total_) {
        reduce_part(i, slices_[i].input, op_, records_.results[i]);
      } else {
        total_groups(i, records_.results[i]);
      }
    });
    call_.each([&](std::size_t i) {
      const std::span<const std::byte> bytes = call_.memory_of(i).fetch(records_.results[i]);
      values_[i].assign(bytes.begin(), bytes.end());
    });
    call_.each([&](std::size_t i) { make_ready(i); });
  }

  void reduce_part(std::size_t i, const ErasedView& input, const Operator& op,
                   const ErasedView& results, const std::optional<Lines>& lines = {}) {
    Queue queue = slices_[i].queue;
    const CallOptions options{no_events, nullptr, nullptr,  no_view,  no_view,
                              no_view,   lines,   no_lines, no_lines, no_view};
    const auto known = find_plan(queue.device(), Algorithm::reduce, "production",
                                 {.input = input.type,
                                  .accumulator = accumulator_,
                                  .output = accumulator_,
                                  .op = op,
                                  .map = asked_.map,
                                  .order = order_,
                                  .lines = layout_of(options)},
                                 Caller{queue.state(), length_of(options, input.count)});
    run_plan(*known, queue, {input, no_view, results}, {}, options);
  }

  // A group's total is the reduction of its elements in index order.
  void total_groups(std::size_t i, const ErasedView& results) {
    const Operator op = OperatorAccess::in_order(op_, accumulator_);
    const Interval head = totals_->split().head(call_.local()[i]);
    const std::uint64_t shared = head.empty() ? 0 : 1;
    const std::uint64_t count = results.count - shared;
    if (shared > 0) reduce_part(i, records_.staged[i].input, op, part(results, 0, 1));
    if (count == 0) return;
    const std::uint64_t group = unit_of_scan(op_, accumulator_, order_);
    const ErasedView whole = part(slices_[i].input, head.size(), count * group);
    reduce_part(i, whole, op, part(results, shared, count), Lines::rows(count, group));
  }

  [[nodiscard]] std::uint64_t staged_size(std::uint32_t rank) const {
    const std::uint64_t before = totals_->split().front(rank);
    return before == 0 ? 0 : before + totals_->split().head(rank).size();
  }

  // Plans what scan_slices() will run, while a failure can still be told to all.
  void make_ready(std::size_t i) {
    const Split& split = totals_->split();
    const std::uint32_t rank = call_.local()[i];
    const std::uint64_t head = staged_size(rank);
    const std::uint64_t rest = split.elements(rank).size() - split.head(rank).size();
    const bool total = totals_->leaves_total(rank);
    if (head > 0) static_cast<void>(plan(i, head, total && rest == 0));
    if (rest > 0) static_cast<void>(plan(i, rest, total));
  }

  // The fold of init and the totals, as far as each local rank wants it.
  void fold_totals(const Gathered& all) {
    const Split& split = totals_->split();
    FoldRecords& folded = records_.fold;
    list_values(all, split.ranks(), [&](std::uint32_t rank) { return totals_->of(rank); });
    std::vector<std::uint64_t>& wanted = folded.wanted;
    wanted.clear();
    const auto want = [&wanted](std::uint64_t behind) {
      if (behind > 0 && (wanted.empty() || wanted.back() < behind - 1)) {
        wanted.push_back(behind - 1);
      }
    };
    for (const std::uint32_t rank : call_.local()) {
      if (split.elements(rank).empty()) continue;
      want(totals_->before(rank));
      if (totals_->has_rest(rank)) want(totals_->before_rest(rank));
    }
    const bool whole = one_total_ && with_total() && split.n() > 0;
    if (whole) want(totals_->values());
    folded.merges.assign(totals_->values(), 1);
    if (!folded.merges.empty()) folded.merges.front() = 0;
    fold(call_.group().folds, slices_.front().queue, call_.memory_of(0), op_, accumulator_,
         folded.merges, folded);
    if (whole) whole_ = folded_behind(totals_->values());
  }

  // Of so many values, if there are some.
  [[nodiscard]] std::optional<Value> folded_behind(std::uint64_t count) const {
    if (count == 0) return {};
    const std::vector<std::uint64_t>& wanted = records_.fold.wanted;
    const auto found = std::lower_bound(wanted.begin(), wanted.end(), count - 1);
    return records_.fold.results[static_cast<std::size_t>(found - wanted.begin())];
  }

  // From here on outputs are written.
  void scan_slices() {
    const Split& split = totals_->split();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::uint32_t rank = call_.local()[i];
      const auto& [queue, input, output, unused] = outputs_[i];
      const std::uint64_t own = split.head(rank).size();
      const std::uint64_t rest = split.elements(rank).size() - own;
      std::optional<ErasedView> total;
      if (totals_->leaves_total(rank)) {
        total = total_ = call_.memory_of(i).take_results(1, accumulator_);
      }
      if (own > 0) {
        const ErasedView scanned = call_.memory_of(i).take(staged_size(rank), output.type);
        scan_part(i, records_.staged[i].input, scanned, folded_behind(totals_->before(rank)),
                  rest == 0 ? total : std::nullopt);
        copy_any(queue, part(scanned, scanned.count - own, own), part(output, 0, own));
      }
      if (rest > 0) {
        scan_part(i, part(input, own, rest), part(output, own, rest),
                  folded_behind(totals_->before_rest(rank)), total);
      }
    }
  }

  void scan_part(std::size_t i, const ErasedView& input, const ErasedView& output,
                 const std::optional<Value>& init, const std::optional<ErasedView>& total) {
    Queue queue = slices_[i].queue;
    run_plan(*plan(i, input.count, total.has_value()), queue, {input, no_view, output}, init,
             {no_events, nullptr, nullptr, no_view, no_view, total, no_lines, no_lines, no_lines,
              no_view});
  }

  [[nodiscard]] bool gathers_total() const {
    return with_total() && !one_total_ && totals_->split().n() > 0;
  }

  // In order v1 the total is what the last rank's scan ends with.
  void leave_totals() {
    const std::size_t size = size_of(accumulator_);
    if (totals_->split().n() == 0) {
      whole_ = init_ ? *init_ : op_.of_nothing(accumulator_);
    } else if (gathers_total()) {
      for (std::vector<std::byte>& values : values_) values.clear();
      call_.each([&](std::size_t i) {
        if (call_.local()[i] != totals_->last()) return;
        const std::span<const std::byte> bytes = call_.memory_of(i).fetch(total_);
        values_[i].assign(bytes.begin(), bytes.end());
      });
      const Gathered all = call_.gather(size, values_);
      whole_ = Value::from_bytes(accumulator_, all.of(totals_->last()));
    }
    for (const ScanSlice& slice : outputs_) {
      Queue queue = slice.queue;
      if (slice.total && whole_) queue.fill(*slice.total, *whole_);
    }
  }

  const GroupScan& asked_;
  const std::vector<ScanSlice>& outputs_;
  std::shared_ptr<const ScanTotals> totals_;
  ErasedView total_{};          // Of the last rank's scan.
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
