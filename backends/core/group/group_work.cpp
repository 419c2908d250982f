#include "core/group/group_work.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string>
#include <utility>

#include "core/device/state.hpp"
#include "core/operators/op.hpp"
#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

void refuse_scalars(std::span<const ScalarType> scalars) {
  if (scalars.empty()) return;
  throw Error(ErrorCategory::unsupported,
              "a text with scalars, over a group: its calls take no values of them");
}

}  // namespace

void refuse_index(const Map& map) {
  refuse_scalars(map.scalars());
  if (!uses_word(map.expression(), "i")) return;
  throw Error(ErrorCategory::unsupported,
              "a map that names i, over a group: it would be the index in the rank's slice");
}

bool same_context(const Device& a, const Device& b) {
  return a.state()->backend->context() == b.state()->backend->context();
}

GroupWork::GroupWork(const Group& group, std::size_t slices, const Operator& op, Type accumulator,
                     Order order, Numbered numbered)
    : call_(group, slices, numbered),
      records_(call_.records()),
      slices_(records_.slices),
      order_(order),
      accumulator_(accumulator),
      op_(operator_for(op, accumulator)),
      one_total_(order == Order::any || op_.exact(accumulator)),
      values_(records_.values) {
  values_.resize(call_.local().size());
  for (std::vector<std::byte>& values : values_) values.clear();
  records_.plans.resize(call_.local().size());
  refuse_scalars(op_.scalars());
}

std::vector<Queue> GroupWork::queues() const {
  std::vector<Queue> queues;
  queues.reserve(slices_.size());
  for (const Elements& slice : slices_) queues.push_back(slice.queue);
  return queues;
}

Opening GroupWork::opening_of(std::size_t local, const Map& map, Type output) const {
  const auto& [queue, input, second] = slices_[local];
  Opening opening;
  opening.count = input.count;
  Terms& terms = opening.terms;
  at(terms, Term::version) = terms_version();
  at(terms, Term::order) = static_cast<std::uint64_t>(order_);
  at(terms, Term::input) = digest_of(input.type);
  if (second) at(terms, Term::second) = digest_of(second->type);
  at(terms, Term::accumulator) = digest_of(accumulator_);
  at(terms, Term::output) = digest_of(output);
  at(terms, Term::op) = op_.id();
  at(terms, Term::map) = map.is_identity() ? 0 : map.id();
  at(terms, Term::init) = digest_of(init_);
  return opening;
}

// Where the counts are those of the last call, and no elements travel, values go with what ranks
// say first. Whether there are some now.
bool GroupWork::compute_early(std::vector<Opening>& openings) {
  const std::vector<std::uint64_t>& counts = call_.last_counts();
  if (counts.empty()) return false;
  for (std::size_t i = 0; i < openings.size(); ++i) {
    if (call_.failed(i) || openings[i].count != counts[call_.local()[i]]) return false;
  }
  const Split& split = set_split(counts);
  const std::size_t bytes = most_values() * size_of(accumulator_);
  if (split.n() == 0 || bytes > early_bytes || !split.borders().empty()) return false;
  records_.early_counts = counts;
  compute();
  for (std::size_t i = 0; i < openings.size(); ++i) {
    openings[i].early = 1;
    std::copy(values_[i].begin(), values_[i].end(), openings[i].values.begin());
  }
  return true;
}

Gathered GroupWork::give() {
  std::vector<Opening>& openings = records_.openings;
  openings.assign(call_.local().size(), {});
  call_.each([&](std::size_t i) {
    check(i);
    openings[i] = prepare(i);
  });
  const bool early = compute_early(openings);
  const bool all_early = call_.open(openings);
  const Split& split = set_split(call_.last_counts());
  if (all_early) return {records_.all_openings.front().values.data(), sizeof(Opening)};
  if (split.n() == 0) return {};
  // What was made for the last call's counts serves where they are still the same.
  if (!early || call_.last_counts() != records_.early_counts) compute();
  return call_.gather(most_values() * size_of(accumulator_), values_);
}

Agreement GroupWork::agree() {
  std::vector<Opening> openings(call_.local().size());
  call_.each([&](std::size_t i) { openings[i] = prepare(i); });
  static_cast<void>(call_.open(openings));
  static_cast<void>(set_split(call_.last_counts()));
  return {slices_, call_.last_counts(), init_};
}

void GroupWork::check_share(const Agreement& agreed, std::size_t local) {
  const Elements& own = slices_[local];
  const Elements& share = agreed.shares[local];
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCategory::invalid_argument, why);
  };
  if (&own.queue.state() != &share.queue.state()) refuse("the queue is not the plan's");
  if (own.input.count != share.input.count) {
    refuse("a slice of " + std::to_string(own.input.count) + " elements, where the plan has " +
           std::to_string(share.input.count));
  }
  if (own.input.type != share.input.type) refuse("the elements' type is not the plan's");
  if (own.second.has_value() != share.second.has_value() ||
      (own.second && own.second->type != share.second->type)) {
    refuse("the second array is not the plan's");
  }
  check(local);
}

void GroupWork::check(const Agreement& agreed) {
  init_ = agreed.init;
  call_.each([&](std::size_t i) { check_share(agreed, i); });
  call_.raise();
}

Gathered GroupWork::give(const Agreement& agreed) {
  init_ = agreed.init;
  // A rank that has failed sends as much as any other.
  if (slices_.size() != agreed.shares.size()) slices_ = agreed.shares;
  call_.each([&](std::size_t i) { check_share(agreed, i); });
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    if (call_.failed(i)) slices_[i] = agreed.shares[i];
  }
  const Split& split = set_split(agreed.counts);
  if (split.n() == 0) {
    call_.raise();
    return {};
  }
  compute();
  return call_.gather(most_values() * size_of(accumulator_), values_);
}

}  // namespace bifold::core
