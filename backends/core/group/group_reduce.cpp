#include "core/group/group_reduce.hpp"

#include <bifold/error.hpp>
#include <cstring>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/group/fold.hpp"
#include "core/group/group_work.hpp"
#include "core/group/parts.hpp"
#include "core/group/stream_reduction.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

std::vector<Elements> elements_of(const std::vector<Slice>& slices) {
  std::vector<Elements> elements;
  elements.reserve(slices.size());
  for (const Slice& slice : slices) elements.push_back({slice.queue, slice.input, slice.second});
  return elements;
}

class GroupReducer final : GroupWork {
 public:
  // Results are those of a run, or none.
  GroupReducer(const Group& group, const std::vector<Slice>& slices, const GroupReduction& asked,
               const std::vector<ErasedView>* results = nullptr, Numbered numbered = Numbered::yes)
      : GroupWork(group, elements_of(slices), asked.op,
                  asked.accumulator.value_or(accumulator_of(asked.result)), asked.order, numbered),
        asked_(asked),
        results_(results) {}

  Value run() {
    const Given given = give();
    return finish(given);
  }

  void plan(PlannedReduction& planned, StreamTransport* transport) {
    planned.agreed = agree();
    const Split split = split_of(planned.agreed.counts);
    if (transport == nullptr || split.n() == 0) return;
    call_.each([&](std::size_t i) {
      if (!planned.stream) {
        transport->check(queues());
        planned.stream = std::make_unique<StreamReduction>(*transport, call_.local(),
                                                           ReductionParts(split, one_total_),
                                                           asked_, op_, accumulator_, init_);
      }
      planned.stream->make(i, slices_[i]);
    });
    static_cast<void>(call_.gather(0, values_));
  }

  Value run(const Agreement& agreed) {
    const Given given = give(agreed);
    Value result = finish(given);
    for (std::size_t i = 0; results_ != nullptr && i < results_->size(); ++i) {
      slices_[i].queue.fill((*results_)[i], result);
    }
    return result;
  }

  void enqueue(PlannedReduction& planned) {
    GroupWork::check(planned.agreed);
    const Split split = split_of(planned.agreed.counts);
    if (split.n() == 0) {
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
  [[nodiscard]] Split split_of(const std::vector<std::uint64_t>& counts) const override {
    return {counts, unit_of_reduction(op_, accumulator_, order_), Fronts::of_units};
  }

  [[nodiscard]] std::size_t most_values(const Split& split) const override {
    return ReductionParts(split, one_total_).most();
  }

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
    std::optional<Type> second_type;
    if (second) second_type = second->type;
    const PlanShape shape{.input = input.type,
                          .accumulator = accumulator_,
                          .output = accumulator_,
                          .op = op_,
                          .map = asked_.map,
                          .order = order_,
                          .second = second_type};
    static_cast<void>(find_plan(queue.device(), Algorithm::reduce, "production", shape,
                                Caller{queue.state(), input.count}));
    return opening_of(i, asked_.map, asked_.result);
  }

  void compute(const Split& split) override {
    const ReductionParts parts(split, one_total_);
    const std::vector<Staged> staged = split.borders().empty()
                                           ? std::vector<Staged>(slices_.size())
                                           : exchange_fronts(call_, split, slices_);
    std::vector<DeviceArray> results(slices_.size());
    const bool alone = slices_.size() == 1;
    call_.each([&](std::size_t i) {
      const std::uint32_t rank = call_.local()[i];
      const std::vector<Interval>& own = parts.of(rank);
      values_[i].clear();
      if (alone && own.size() == 1 && split.front(rank) == 0) {
        const Value value = reduce_to_host(i, own.front(), split.elements(rank).begin);
        values_[i].assign(value.data(), value.data() + value.size());
        return;
      }
      results[i] = DeviceArray(slices_[i].queue.device(), own.size(), accumulator_);
      for (std::size_t part = 0; part < own.size(); ++part) {
        const bool shared = part == 0 && split.front(rank) > 0;
        enqueue(i, shared ? staged[i] : Staged{}, own[part], split.elements(rank).begin,
                results[i].view(part, 1));
      }
    });
    call_.each([&](std::size_t i) {
      const ErasedView view = results[i].view();
      if (view.count > 0) values_[i] = download(slices_[i].queue, view);
      if (const auto& at = asked_.index_at) {
        move_indices(values_[i], *at, parts.of(call_.local()[i]));
      }
    });
  }

  Value reduce_to_host(std::size_t i, const Interval& elements, std::uint64_t begin) {
    auto& [queue, input, second] = slices_[i];
    const ErasedView x = part(input, elements.begin - begin, elements.size());
    ReduceOptions options;
    options.order = order_;
    if (!second) {
      return bifold::transform_reduce(queue, x, accumulator_, op_, {}, asked_.map, options);
    }
    const ErasedView y = part(*second, elements.begin - begin, elements.size());
    return bifold::transform_reduce(queue, x, y, accumulator_, op_, {}, asked_.map, options);
  }

  // One value: of what was staged, else of elements where they lie.
  void enqueue(std::size_t i, const Staged& staged, const Interval& elements, std::uint64_t begin,
               const ErasedView& result) {
    auto& [queue, input, second] = slices_[i];
    const bool in_place = staged.input.view().count == 0;
    const auto place = [&](const ErasedView& view, const DeviceArray& copy) {
      return in_place ? part(view, elements.begin - begin, elements.size()) : copy.view();
    };
    ReduceOptions options;
    options.order = order_;
    const ErasedView x = place(input, staged.input);
    if (second) {
      transform_reduce_into(queue, x, place(*second, staged.second), result, op_, {}, asked_.map,
                            options);
    } else {
      transform_reduce_into(queue, x, result, op_, {}, asked_.map, options);
    }
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
  Value finish(const Given& given) {
    if (given.split.n() == 0) return convert(nothing(), asked_.result);
    const ReductionParts parts(given.split, one_total_);
    const std::size_t size = size_of(accumulator_);
    const std::size_t stride = parts.most() * size;
    std::vector<std::byte> values;
    if (init_) values.assign(init_->data(), init_->data() + size);
    for (std::uint32_t rank = 0; rank < given.split.ranks(); ++rank) {
      const std::byte* const from = given.values.data() + rank * stride;
      values.insert(values.end(), from, from + parts.of(rank).size() * size);
    }
    const std::vector<std::uint32_t> merges = parts.merges(init_.has_value());
    const std::uint64_t last = merges.size() - 1;
    const Value result =
        fold(call_.folds(), slices_.front().queue, op_, accumulator_, values, merges, {&last, 1})
            .front();
    return convert(result, asked_.result);
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
