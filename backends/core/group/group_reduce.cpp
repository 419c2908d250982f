#include "core/group/group_reduce.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstring>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/group/fold.hpp"
#include "core/group/fronts.hpp"
#include "core/group/group_call.hpp"
#include "core/group/split.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

class GroupReducer {
 public:
  GroupReducer(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked)
      : call_(group, slices.size()),
        asked_(asked),
        accumulator_(accumulator_of(asked.result)),
        op_(operator_for(asked.op, accumulator_)),
        one_total_(asked.order == Order::any || op_.exact(accumulator_)),
        values_(call_.local().size()) {
    for (const Slice& slice : slices) slices_.push_back({slice.queue, slice.input, slice.second});
  }

  Value run() {
    std::vector<Opening> openings(call_.local().size());
    call_.each([&](std::size_t i) { openings[i] = prepare(i); });
    const bool early = reduce_early(openings);
    const std::vector<Opening> all = call_.open(openings);
    std::vector<std::uint64_t> counts;
    bool all_early = true;
    for (const Opening& one : all) {
      counts.push_back(one.count);
      all_early = all_early && one.early != 0;
    }
    const Split split = split_of(counts);
    const std::size_t bytes = most_values(split) * size_of(accumulator_);
    if (all_early) {
      std::vector<std::byte> values(all.size() * bytes);
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::memcpy(values.data() + rank * bytes, all[rank].values.data(), bytes);
      }
      return finish(split, values);
    }
    if (split.n() == 0) return finish(split, {});
    // What was made for the last call's counts serves where they are still the same.
    if (!early || counts != early_counts_) reduce_slices(split);
    return finish(split, call_.gather(bytes, values_));
  }

 private:
  [[nodiscard]] Split split_of(const std::vector<std::uint64_t>& counts) const {
    const std::uint64_t unit = unit_of_reduction(op_, accumulator_, asked_.order);
    return {counts, unit, Fronts::of_units};
  }

  // Of which elements of the array a rank gives values.
  [[nodiscard]] std::vector<Interval> parts(const Split& split, std::uint32_t rank) const {
    std::vector<Interval> parts;
    if (one_total_) {
      if (!split.elements(rank).empty()) parts.push_back(split.elements(rank));
      return parts;
    }
    for (const Node& node : split.nodes(rank)) parts.push_back(split.elements(node));
    return parts;
  }

  [[nodiscard]] std::size_t most_values(const Split& split) const {
    std::size_t most = 0;
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      most = std::max(most, parts(split, rank).size());
    }
    return most;
  }

  // Checks a rank's arguments, and plans, so that what is wrong with them is told first.
  Opening prepare(std::size_t i) {
    const auto& [queue, input, second] = slices_[i];
    check_view(queue.device(), input, Access::read, "input");
    if (second) check_view(queue.device(), *second, Access::read, "second");
    if (second && second->count != input.count) {
      refuse("the second array has " + std::to_string(second->count) + " elements, the first " +
             std::to_string(input.count));
    }
    if (!asked_.index_at && uses_word(asked_.map.expression(), "i")) {
      throw Error(ErrorCategory::unsupported,
                  "a map that names i, over a group: it would be the index in the rank's slice");
    }
    if (asked_.init) init_ = initial_value(op_, *asked_.init, accumulator_);
    std::optional<Type> second_type;
    if (second) second_type = second->type;
    const PlanShape shape{.input = input.type,
                          .accumulator = accumulator_,
                          .output = accumulator_,
                          .op = op_,
                          .map = asked_.map,
                          .order = asked_.order,
                          .second = second_type};
    static_cast<void>(find_plan(queue.device(), Algorithm::reduce, "production", shape,
                                Caller{queue.state(), input.count}));
    Opening opening;
    opening.count = input.count;
    Terms& terms = opening.terms;
    at(terms, Term::version) = terms_version();
    at(terms, Term::order) = static_cast<std::uint64_t>(asked_.order);
    at(terms, Term::input) = digest_of(input.type);
    at(terms, Term::second) = digest_of(second_type);
    at(terms, Term::accumulator) = digest_of(accumulator_);
    at(terms, Term::output) = digest_of(asked_.result);
    at(terms, Term::op) = op_.id();
    at(terms, Term::map) = asked_.map.is_identity() ? 0 : asked_.map.id();
    at(terms, Term::init) = digest_of(init_);
    return opening;
  }

  // Where the counts are those of the last call, and no elements travel, values go with what ranks
  // say first. Whether there are some now.
  bool reduce_early(std::vector<Opening>& openings) {
    const std::vector<std::uint64_t>& counts = call_.last_counts();
    if (counts.empty()) return false;
    for (std::size_t i = 0; i < openings.size(); ++i) {
      if (call_.failed(i) || openings[i].count != counts[call_.local()[i]]) return false;
    }
    const Split split = split_of(counts);
    const std::size_t bytes = most_values(split) * size_of(accumulator_);
    if (bytes == 0 || bytes > early_bytes || !split.borders().empty()) return false;
    early_counts_ = counts;
    reduce_slices(split);
    for (std::size_t i = 0; i < openings.size(); ++i) {
      openings[i].early = 1;
      std::copy(values_[i].begin(), values_[i].end(), openings[i].values.begin());
    }
    return true;
  }

  // Reduces what lies with each local rank to its values.
  void reduce_slices(const Split& split) {
    const std::vector<Staged> staged = split.borders().empty()
                                           ? std::vector<Staged>(slices_.size())
                                           : exchange_fronts(call_, split, slices_);
    std::vector<DeviceArray> results(slices_.size());
    const bool alone = slices_.size() == 1;
    call_.each([&](std::size_t i) {
      const std::uint32_t rank = call_.local()[i];
      const std::vector<Interval> own = parts(split, rank);
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
        move_indices(values_[i], *at, parts(split, call_.local()[i]));
      }
    });
  }

  Value reduce_to_host(std::size_t i, const Interval& elements, std::uint64_t begin) {
    auto& [queue, input, second] = slices_[i];
    const ErasedView x = part(input, elements.begin - begin, elements.size());
    ReduceOptions options;
    options.order = asked_.order;
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
    options.order = asked_.order;
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
  Value finish(const Split& split, std::span<const std::byte> all) {
    const std::size_t size = size_of(accumulator_);
    const std::size_t stride = most_values(split) * size;
    std::vector<std::byte> values;
    std::vector<std::uint32_t> merges;
    std::vector<Node> nodes;
    if (init_) values.assign(init_->data(), init_->data() + size);
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      const std::size_t own = parts(split, rank).size() * size;
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(rank * stride);
      values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(own));
      if (one_total_) continue;
      for (const Node& node : split.nodes(rank)) nodes.push_back(node);
    }
    if (split.n() == 0) return convert(nothing(), asked_.result);
    const std::size_t count = values.size() / size;
    if (one_total_) {
      merges.assign(count, 1);
      merges.front() = 0;
    } else {
      merges = core::merges(nodes);
      if (init_) {
        merges.insert(merges.begin(), 0);
        ++merges.back();
      }
    }
    const std::uint64_t last = count - 1;
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

  GroupCall call_;
  const GroupReduction& asked_;
  Type accumulator_;
  Operator op_;
  bool one_total_;  // Of each rank, as any association gives the same.
  std::vector<Elements> slices_;
  std::vector<std::vector<std::byte>> values_;  // Of the local ranks.
  std::optional<Value> init_;
  std::vector<std::uint64_t> early_counts_;
};

}  // namespace

Value reduce_over(Group& group, const std::vector<Slice>& slices, const GroupReduction& asked) {
  prepared_over(group, [&] { return asked.op.id(); });  // Whether it was moved from.
  return GroupReducer(group, slices, asked).run();
}

}  // namespace bifold::core
