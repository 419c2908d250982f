#include "core/group/group_work.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <utility>

#include "core/operators/op.hpp"
#include "core/text/expression_text.hpp"

namespace bifold::core {

void refuse_index(const Map& map) {
  if (!uses_word(map.expression(), "i")) return;
  throw Error(ErrorCategory::unsupported,
              "a map that names i, over a group: it would be the index in the rank's slice");
}

GroupWork::GroupWork(const Group& group, std::vector<Elements> slices, const Operator& op,
                     Type accumulator, Order order)
    : call_(group, slices.size()),
      slices_(std::move(slices)),
      order_(order),
      accumulator_(accumulator),
      op_(operator_for(op, accumulator)),
      one_total_(order == Order::any || op_.exact(accumulator)),
      values_(call_.local().size()) {}

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
  const Split split = split_of(counts);
  const std::size_t bytes = most_values(split) * size_of(accumulator_);
  if (split.n() == 0 || bytes > early_bytes || !split.borders().empty()) return false;
  early_counts_ = counts;
  compute(split);
  for (std::size_t i = 0; i < openings.size(); ++i) {
    openings[i].early = 1;
    std::copy(values_[i].begin(), values_[i].end(), openings[i].values.begin());
  }
  return true;
}

Given GroupWork::give() {
  std::vector<Opening> openings(call_.local().size());
  call_.each([&](std::size_t i) { openings[i] = prepare(i); });
  const bool early = compute_early(openings);
  const Opened all = call_.open(openings);
  Split split = split_of(all.counts);
  const std::size_t bytes = most_values(split) * size_of(accumulator_);
  if (all.all_early) return {std::move(split), all.values(bytes)};
  if (split.n() == 0) return {std::move(split), {}};
  // What was made for the last call's counts serves where they are still the same.
  if (!early || all.counts != early_counts_) compute(split);
  std::vector<std::byte> values = call_.gather(bytes, values_);
  return {std::move(split), std::move(values)};
}

}  // namespace bifold::core
