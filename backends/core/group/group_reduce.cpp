#include "core/group/group_reduce.hpp"

#include <bifold/error.hpp>
#include <cstring>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/group/fold.hpp"
#include "core/group/fronts.hpp"
#include "core/group/group_work.hpp"
#include "core/group/stream_reduction.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/slices/parts.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

const std::optional<ErasedView> no_view;
const std::optional<Lines> no_lines;
const std::vector<Event> no_events;

class GroupReducer final : GroupWork {
 public:
  // Results are those of a run, or none.
  GroupReducer(const Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               const std::vector<ErasedView>* results = nullptr, Numbered numbered = Numbered::yes)
      : GroupWork(group, slices.size(), asked.op,
                  asked.accumulator.value_or(accumulator_of(asked.result)), asked.order, numbered),
        asked_(asked),
        results_(results) {
    for (const Slice& slice : slices) {
      slices_.push_back({slice.queue, slice.input, slice.second});
    }
  }

  Value run() { return finish(give()); }

  void plan(PlannedReduction& planned, StreamTransport* transport) {
    planned.agreed = agree();
    if (transport == nullptr || parts_->split().n() == 0) return;
    call_.each([&](std::size_t i) {
      if (!planned.stream) {
        transport->check(queues());
        planned.stream = std::make_unique<StreamReduction>(*transport, call_.local(), *parts_,
                                                           asked_, op_, accumulator_, init_);
      }
      planned.stream->make(i, slices_[i]);
    });
    static_cast<void>(call_.gather(0, values_));
  }

  Value run(const Agreement& agreed) {
    Value result = finish(give(agreed));
    for (std::size_t i = 0; results_ != nullptr && i < results_->size(); ++i) {
      slices_[i].queue.fill((*results_)[i], result);
    }
    return result;
  }

  void enqueue(PlannedReduction& planned) {
    GroupWork::check(planned.agreed);
    if (set_split(planned.agreed.counts).n() == 0) {
      const Value result = convert(nothing(), asked_.result);
      for (std::size_t i = 0; i < slices_.size(); ++i) {
        slices_[i].queue.fill((*results_)[i], result);
      }
      return;
    }
    try {
      planned.stream->enqueue(slices_, *results_);
    } catch (...) {
      call_.end_group();
    }
  }

 private:
  const Split& set_split(const std::vector<std::uint64_t>& counts) override {
    parts_ = call_.group().reductions.of(counts, unit_of_reduction(op_, accumulator_, order_),
                                         Fronts::of_units, one_total_);
    return parts_->split();
  }

  [[nodiscard]] std::size_t most_values() const override { return parts_->most(); }

  void check(std::size_t i) override {
    const auto& [queue, input, second] = slices_[i];
    check_view(queue.device(), input, Access::read, "input");
    if (second) check_view(queue.device(), *second, Access::read, "second");
    if (second && second->count != input.count) {
      refuse("the second array has " + std::to_string(second->count) + " elements, the first " +
             std::to_string(input.count));
    }
    if (results_ != nullptr) check_result(i);
  }

  void check_result(std::size_t i) const {
    if (results_->size() != slices_.size()) {
      refuse(std::to_string(results_->size()) + " results, where the process has " +
             std::to_string(slices_.size()) + " ranks");
    }
    const ErasedView& result = (*results_)[i];
    const Device& device = slices_[i].queue.device();
    if (result.count != 1 || result.type != asked_.result) {
      refuse("the result: one element of the plan's type is wanted");
    }
    check_view(device, result, Access::write, "the result");
    for (std::size_t j = 0; j < slices_.size(); ++j) {
      if (!same_context(device, slices_[j].queue.device())) continue;
      const auto& [queue, input, second] = slices_[j];
      if (overlap(device, result, input) || (second && overlap(device, result, *second)) ||
          (i != j && overlap(device, result, (*results_)[j]))) {
        refuse("the result overlaps memory of rank " + std::to_string(call_.local()[j]));
      }
    }
  }

  Opening prepare(std::size_t i) override {
    const auto& [queue, input, second] = slices_[i];
    if (!asked_.index_at) refuse_index(asked_.map);
    if (asked_.init) init_ = initial_value(op_, *asked_.init, accumulator_);
    records_.plans[i] = plan(i, input.count);
    return opening_of(i, asked_.map, asked_.result);
  }

  [[nodiscard]] std::shared_ptr<const detail::Plan> plan(std::size_t i, std::uint64_t n) const {
    const auto& [queue, input, second] = slices_[i];
    std::optional<Type> second_type;
    if (second) second_type = second->type;
    return find_plan(queue.device(), Algorithm::reduce, "production",
                     {.input = input.type,
                      .accumulator = accumulator_,
                      .output = accumulator_,
                      .op = op_,
                      .map = asked_.map,
                      .order = order_,
                      .second = second_type},
                     Caller{queue.state(), n});
  }

  void compute() override {
    const Split& split = parts_->split();
    reserve([&](std::size_t i) {
      MemoryNeeds needs;
      const std::uint32_t rank = call_.local()[i];
      needs.add_results(parts_->of(rank).size(), accumulator_);
      add_front(needs, split, rank, slices_[i]);
      if (i == 0) add_fold(needs, op_, accumulator_, 1);
      return needs;
    });
    records_.staged.assign(slices_.size(), {});
    if (!split.borders().empty()) exchange_fronts(call_, split);
    records_.results.assign(slices_.size(), {});
    call_.each([&](std::size_t i) {
      const std::vector<Interval>& own = parts_->of(call_.local()[i]);
      records_.results[i] = call_.memory_of(i).take_results(own.size(), accumulator_);
      for (std::size_t at = 0; at < own.size(); ++at) {
        reduce_part(i, own[at], at == 0 && split.front(call_.local()[i]) > 0,
                    part(records_.results[i], at, 1));
      }
    });
    call_.each([&](std::size_t i) {
      const std::span<const std::byte> bytes = call_.memory_of(i).fetch(records_.results[i]);
      values_[i].assign(bytes.begin(), bytes.end());
      if (const auto& at = asked_.index_at) {
        move_indices(values_[i], *at, parts_->of(call_.local()[i]));
      }
    });
  }

  // One value: of what was staged, else of elements where they lie.
  void reduce_part(std::size_t i, const Interval& elements, bool staged, const ErasedView& result) {
    auto& [queue, input, second] = slices_[i];
    const std::uint64_t begin = parts_->split().elements(call_.local()[i]).begin;
    const auto place = [&](const ErasedView& view, const ErasedView& copy) {
      return staged ? copy : part(view, elements.begin - begin, elements.size());
    };
    std::optional<ErasedView> y;
    if (second) y = place(*second, records_.staged[i].second);
    const bool whole = records_.plans[i] && elements.size() == input.count;
    const auto known = whole ? records_.plans[i] : plan(i, elements.size());
    run_plan(*known, queue, {place(input, records_.staged[i].input), y, result}, {},
             {no_events, nullptr, nullptr, no_view, no_view, no_view, no_lines, no_lines, no_lines,
              no_view});
  }

  // Each value was made of elements that were counted from its first one.
  void move_indices(std::vector<std::byte>& values, std::size_t offset,
                    const std::vector<Interval>& own) const {
    for (std::size_t part = 0; part < own.size(); ++part) {
      std::uint64_t index = 0;
      std::byte* const at = values.data() + part * size_of(accumulator_) + offset;
      std::memcpy(&index, at, sizeof index);
      if (index != no_index) index += own[part].begin;
      std::memcpy(at, &index, sizeof index);
    }
  }

  // The result of all ranks' values.
  Value finish(const Gathered& all) {
    const Split& split = parts_->split();
    if (split.n() == 0) return convert(nothing(), asked_.result);
    list_values(all, split.ranks(), [&](std::uint32_t rank) { return parts_->of(rank).size(); });
    const std::vector<std::uint32_t>& merges = parts_->merges(init_.has_value());
    records_.fold.wanted.assign(1, merges.size() - 1);
    fold(call_.group().folds, slices_.front().queue, call_.memory_of(0), op_, accumulator_, merges,
         records_.fold);
    return convert(records_.fold.results.front(), asked_.result);
  }

  [[nodiscard]] Value nothing() const {
    if (asked_.of_nothing) return *asked_.of_nothing;
    if (init_) return *init_;
    if (!OperatorAccess::gives_of_nothing(op_)) {
      refuse("a reduction of nothing by operator " + std::string(op_.name()) +
             ", which has no identity");
    }
    return op_.of_nothing(accumulator_);
  }

  const GroupReduction& asked_;
  const std::vector<ErasedView>* results_;
  std::shared_ptr<const ReductionParts> parts_;
};

}  // namespace

Value reduce_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked) {
  prepared_over(group, [&] { return asked.op.id(); });  // Whether it was moved from.
  return GroupReducer(group, slices, asked).run();
}

PlannedReduction::PlannedReduction() = default;
PlannedReduction::~PlannedReduction() = default;

void plan_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               PlannedReduction& planned) {
  GroupReducer(group, slices, asked).plan(planned, group.state().streams);
}

Value run_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               const PlannedReduction& planned, const std::vector<ErasedView>* results) {
  return GroupReducer(group, slices, asked, results).run(planned.agreed);
}

void enqueue_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
                  PlannedReduction& planned, const std::vector<ErasedView>& results) {
  GroupReducer(group, slices, asked, &results, Numbered::no).enqueue(planned);
}

}  // namespace bifold::core
