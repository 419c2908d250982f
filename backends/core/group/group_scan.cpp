#include "core/group/group_scan.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstddef>
#include <string>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
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

Type accumulator_of_call(const std::vector<ScanSlice>& slices, const GroupScan& asked) {
  if (asked.options.accumulate) return *asked.options.accumulate;
  return slices.empty() ? Type() : accumulator_of(slices.front().output.type);
}

// A rank's elements are the rest of its first group of tiles, whose front other ranks have, and
// what follows from a group's border on. Both are scanned from the fold of all earlier groups.
class GroupScanner {
 public:
  GroupScanner(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked)
      : call_(group, slices.size()),
        asked_(asked),
        slices_(slices),
        accumulator_(accumulator_of_call(slices, asked)),
        op_(operator_for(asked.op, accumulator_)),
        one_total_(asked.options.order == Order::any || op_.exact(accumulator_)),
        staged_(slices.size()),
        totals_(call_.local().size()) {
    for (const ScanSlice& slice : slices) elements_.push_back({slice.queue, slice.input, {}});
  }

  void run() {
    std::vector<Opening> openings(call_.local().size());
    call_.each([&](std::size_t i) { openings[i] = prepare(i); });
    const bool early = total_early(openings);
    const std::vector<Opening> all = call_.open(openings);
    std::vector<std::uint64_t> counts;
    bool all_early = true;
    for (const Opening& one : all) {
      counts.push_back(one.count);
      all_early = all_early && one.early != 0;
    }
    const Split split = split_of(counts);
    const std::size_t bytes = most_totals(split) * size_of(accumulator_);
    std::vector<std::byte> totals(all.size() * bytes);
    if (all_early) {
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        std::copy_n(all[rank].values.begin(), bytes,
                    totals.begin() + static_cast<std::ptrdiff_t>(rank * bytes));
      }
    } else if (split.n() > 0) {
      if (!early || counts != early_counts_) total_slices(split);
      call_.each([&](std::size_t i) { make_ready(split, i); });
      totals = call_.gather(bytes, totals_);
    }
    try {
      fold_totals(split, totals);
      scan_slices(split);
    } catch (...) {
      if (!gathers_total(split)) throw;
      for (std::size_t i = 0; i < slices_.size(); ++i) call_.fail(i, error_of_exception());
    }
    if (slices_.front().total) leave_totals(split);
  }

 private:
  // What a local rank's two scans begin with, if anything.
  struct Carries {
    std::optional<Value> head;
    std::optional<Value> rest;
  };

  [[nodiscard]] Split split_of(const std::vector<std::uint64_t>& counts) const {
    return {counts, unit_of_scan(op_, accumulator_, asked_.options.order), Fronts::of_elements};
  }

  // Totals that a rank gives: of its slice, or of the groups that end in it.
  [[nodiscard]] std::uint64_t totals(const Split& split, std::uint32_t rank) const {
    const Interval own = split.elements(rank);
    if (own.empty()) return 0;
    // What ends the last slice counts for nobody, but for the total and for the slice's own rest.
    if (one_total_) return split.is_last(rank) && !slices_.front().total ? 0 : 1;
    if (!split.is_last(rank)) return split.whole_units(rank).size();
    return !split.head(rank).empty() && split.head(rank).end < own.end ? 1 : 0;
  }

  [[nodiscard]] std::uint64_t most_totals(const Split& split) const {
    std::uint64_t most = 0;
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      most = std::max(most, totals(split, rank));
    }
    return most;
  }

  [[nodiscard]] std::shared_ptr<const detail::Plan> plan(std::size_t i, std::uint64_t n,
                                                         bool total) {
    const auto& [queue, input, output, unused] = slices_[i];
    const PlanShape shape{.input = input.type,
                          .accumulator = accumulator_,
                          .output = output.type,
                          .kind = asked_.kind,
                          .op = op_,
                          .map = asked_.map,
                          .on_device = {{}, false, total, {}},
                          .order = asked_.options.order};
    return find_plan(queue.device(), Algorithm::scan, "production", shape,
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
    if (!init_ && !OperatorAccess::gives_of_nothing(op_)) {
      refuse("a total without an initial value by operator " + std::string(op_.name()) +
             ", which has no identity");
    }
  }

  // Nothing orders the work of ranks on memory that they share.
  void check_others(std::size_t i) const {
    const Device& device = slices_[i].queue.device();
    const auto& [queue, input, output, total] = slices_[i];
    const auto refuse_shared = [&](const char* what, const ErasedView& own, std::size_t j) {
      const bool with_input = overlap(device, own, slices_[j].input);
      if (!with_input && !overlap(device, own, slices_[j].output)) return;
      refuse(std::string(what) + " overlaps the " + (with_input ? "input" : "output") +
             " of rank " + std::to_string(call_.local()[j]));
    };
    for (std::size_t j = 0; j < slices_.size(); ++j) {
      const Device& other = slices_[j].queue.device();
      if (i == j || other.state()->backend->context() != device.state()->backend->context()) {
        continue;
      }
      refuse_shared("the output", output, j);
      if (total) refuse_shared("total", *total, j);
    }
  }

  // Checks a rank's arguments, and plans, so that what is wrong with them is told first.
  Opening prepare(std::size_t i) {
    const ScanSlice& slice = slices_[i];
    if (uses_word(asked_.map.expression(), "i")) {
      throw Error(ErrorCategory::unsupported,
                  "a map that names i, over a group: it would be the index in the rank's slice");
    }
    const auto whole = plan(i, slice.input.count, false);
    const std::optional<ErasedView> none;
    const std::optional<Lines> no_lines;
    const std::vector<Event> no_events;
    check_plan(*whole, slice.queue.device(), {slice.input, none, slice.output}, asked_.init,
               {no_events, nullptr, nullptr, none, none, none, no_lines, no_lines, no_lines, none});
    if (asked_.init) init_ = initial_value(op_, *asked_.init, accumulator_);
    if (slice.total) check_total(slice, *slice.total);
    check_others(i);
    Opening opening;
    opening.count = slice.input.count;
    Terms& terms = opening.terms;
    at(terms, Term::version) = terms_version();
    at(terms, Term::kind) = 1 + static_cast<std::uint64_t>(asked_.kind);
    at(terms, Term::order) = static_cast<std::uint64_t>(asked_.options.order);
    at(terms, Term::input) = digest_of(slice.input.type);
    at(terms, Term::accumulator) = digest_of(accumulator_);
    at(terms, Term::output) = digest_of(slice.output.type);
    at(terms, Term::op) = op_.id();
    at(terms, Term::map) = asked_.map.is_identity() ? 0 : asked_.map.id();
    at(terms, Term::init) = digest_of(init_);
    at(terms, Term::total) = slice.total ? 1 : 0;
    return opening;
  }

  // As of a reduction: see there.
  bool total_early(std::vector<Opening>& openings) {
    const std::vector<std::uint64_t>& counts = call_.last_counts();
    if (counts.empty()) return false;
    for (std::size_t i = 0; i < openings.size(); ++i) {
      if (call_.failed(i) || openings[i].count != counts[call_.local()[i]]) return false;
    }
    const Split split = split_of(counts);
    const std::size_t bytes = most_totals(split) * size_of(accumulator_);
    if (bytes > early_bytes || !split.borders().empty()) return false;
    early_counts_ = counts;
    total_slices(split);
    call_.each([&](std::size_t i) { make_ready(split, i); });
    for (std::size_t i = 0; i < openings.size(); ++i) {
      openings[i].early = 1;
      std::copy(totals_[i].begin(), totals_[i].end(), openings[i].values.begin());
    }
    return true;
  }

  // The totals that each local rank gives.
  void total_slices(const Split& split) {
    if (!split.borders().empty()) staged_ = exchange_fronts(call_, split, elements_);
    std::vector<DeviceArray> results(slices_.size());
    call_.each([&](std::size_t i) {
      const std::uint32_t rank = call_.local()[i];
      totals_[i].clear();
      const std::uint64_t count = totals(split, rank);
      if (count == 0) return;
      results[i] = DeviceArray(slices_[i].queue.device(), count, accumulator_);
      if (one_total_) {
        reduce_part(i, slices_[i].input, op_, results[i].view());
      } else {
        total_groups(split, i, results[i]);
      }
    });
    call_.each([&](std::size_t i) { totals_[i] = download(slices_[i].queue, results[i].view()); });
  }

  void reduce_part(std::size_t i, const ErasedView& input, const Operator& op,
                   const ErasedView& results, const std::optional<Lines>& lines = {}) {
    Queue queue = slices_[i].queue;
    ReduceOptions options;
    options.order = asked_.options.order;
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
    const std::uint64_t group = unit_of_scan(op_, accumulator_, asked_.options.order);
    const ErasedView whole = part(slices_[i].input, head.size(), count * group);
    reduce_part(i, whole, op, results.view(shared, count), Lines::rows(count, group));
  }

  [[nodiscard]] bool leaves_total(const Split& split, std::uint32_t rank) const {
    return slices_.front().total && !one_total_ && split.is_last(rank) &&
           !split.elements(rank).empty();
  }

  // Plans what scan_slices() will run, while a failure can still be told to all.
  void make_ready(const Split& split, std::size_t i) {
    const std::uint32_t rank = call_.local()[i];
    const std::uint64_t head = staged_[i].input.view().count;
    const std::uint64_t rest = split.elements(rank).size() - split.head(rank).size();
    const bool total = leaves_total(split, rank);
    if (head > 0) static_cast<void>(plan(i, head, total && rest == 0));
    if (rest > 0) static_cast<void>(plan(i, rest, total));
    if (head > 0) staged_outputs_.resize(slices_.size());
    const Device& device = slices_[i].queue.device();
    if (head > 0) staged_outputs_[i] = DeviceArray(device, head, slices_[i].output.type);
    if (!total) return;
    total_ = DeviceArray(device, 1, accumulator_);
  }

  // The fold of init and the totals, as far as each local rank wants it.
  void fold_totals(const Split& split, std::span<const std::byte> all) {
    const std::size_t size = size_of(accumulator_);
    const std::size_t stride = most_totals(split) * size;
    const std::uint64_t first = init_ ? 1 : 0;
    std::vector<std::byte> values;
    if (init_) values.assign(init_->data(), init_->data() + size);
    std::vector<std::uint64_t> before;  // How many values lie before each rank's first.
    for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
      before.push_back(values.size() / size);
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(rank * stride);
      values.insert(values.end(), from,
                    from + static_cast<std::ptrdiff_t>(totals(split, rank) * size));
    }
    const std::uint64_t count = values.size() / size;
    std::vector<std::uint64_t> wanted;
    const auto want = [&wanted](std::uint64_t behind) {
      if (behind > 0 && (wanted.empty() || wanted.back() < behind - 1))
        wanted.push_back(behind - 1);
    };
    const auto has_rest = [&](std::uint32_t rank) {
      return split.head(rank).end < split.elements(rank).end;
    };
    for (const std::uint32_t rank : call_.local()) {
      if (split.elements(rank).empty()) continue;
      want(before[rank]);
      if (!split.head(rank).empty() && has_rest(rank)) want(before[rank] + 1);
    }
    if (one_total_ && slices_.front().total) want(count);
    std::vector<std::uint32_t> merges(count, 1);
    if (count > 0) merges.front() = 0;
    const std::vector<Value> folded =
        fold(call_.folds(), slices_.front().queue, op_, accumulator_, values, merges, wanted);
    const auto carry = [&](std::uint64_t behind) -> std::optional<Value> {
      if (behind == 0) return {};
      const auto found = std::lower_bound(wanted.begin(), wanted.end(), behind - 1);
      return folded[static_cast<std::size_t>(found - wanted.begin())];
    };
    carries_.assign(slices_.size(), {});
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const std::uint32_t rank = call_.local()[i];
      if (split.elements(rank).empty()) continue;
      const bool shared = !split.head(rank).empty();
      carries_[i].head = carry(before[rank]);
      if (has_rest(rank)) carries_[i].rest = carry(before[rank] + (shared ? 1 : 0));
    }
    if (one_total_ && slices_.front().total && count > first) whole_ = carry(count);
  }

  // From here on outputs are written.
  void scan_slices(const Split& split) {
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const std::uint32_t rank = call_.local()[i];
      const auto& [queue, input, output, unused] = slices_[i];
      const std::uint64_t own = split.head(rank).size();
      const std::uint64_t rest = split.elements(rank).size() - own;
      std::optional<ErasedView> total;
      if (leaves_total(split, rank)) total = total_.view();
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
    options.order = asked_.options.order;
    options.total = total;
    bifold::transform_scan(queue, asked_.kind, input, output, op_, init, asked_.map, options);
  }

  [[nodiscard]] bool gathers_total(const Split& split) const {
    return slices_.front().total && !one_total_ && split.n() > 0;
  }

  // In order v1 the total is what the last rank's scan ends with.
  void leave_totals(const Split& split) {
    const std::size_t size = size_of(accumulator_);
    if (split.n() == 0) {
      whole_ = init_ ? *init_ : op_.of_nothing(accumulator_);
    } else if (gathers_total(split)) {
      std::vector<std::vector<std::byte>> mine(slices_.size());
      std::uint32_t last = 0;
      for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
        if (!split.elements(rank).empty()) last = rank;
      }
      call_.each([&](std::size_t i) {
        if (call_.local()[i] == last) mine[i] = download(slices_[i].queue, total_.view());
      });
      const std::vector<std::byte> all = call_.gather(size, mine);
      whole_ = Value::from_bytes(accumulator_, all.data() + last * size);
    }
    for (const ScanSlice& slice : slices_) {
      Queue queue = slice.queue;
      queue.fill(*slice.total, *whole_);
    }
  }

  GroupCall call_;
  const GroupScan& asked_;
  const std::vector<ScanSlice>& slices_;
  Type accumulator_;
  Operator op_;
  bool one_total_;  // Of each rank, as any association gives the same.
  std::vector<Elements> elements_;
  std::vector<Staged> staged_;
  std::vector<DeviceArray> staged_outputs_;
  std::vector<std::vector<std::byte>> totals_;  // Of the local ranks.
  std::optional<Value> init_;
  std::vector<Carries> carries_;
  DeviceArray total_;           // Of the last rank's scan.
  std::optional<Value> whole_;  // Of all ranks.
  std::vector<std::uint64_t> early_counts_;
};

}  // namespace

void scan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked) {
  prepared_over(group, [&] { return asked.op.id(); });  // Whether it was moved from.
  GroupScanner(group, slices, asked).run();
}

}  // namespace bifold::core
