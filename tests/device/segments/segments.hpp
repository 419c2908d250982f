// Segments of an array, and what calls on them have to give: each segment alone, on the host.
#pragma once

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/cases/lines.hpp"

namespace bifold::test {

/// Where segments begin and end, as device memory says.
using Bounds = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The elements of a segment that lie in an array.
template <class In>
std::span<const In> segment_of(std::span<const In> input,
                               const std::pair<std::uint64_t, std::uint64_t>& bounds) {
  const std::uint64_t end = std::min<std::uint64_t>(bounds.second, input.size());
  if (bounds.first >= end) return {};
  return input.subspan(bounds.first, end - bounds.first);
}

/// Segments one behind the other.
inline Bounds one_behind_the_other(const std::vector<std::uint64_t>& lengths,
                                   std::uint64_t first = 0) {
  Bounds bounds;
  for (const std::uint64_t length : lengths) {
    bounds.emplace_back(first, first + length);
    first += length;
  }
  return bounds;
}

/// How a call is made.
struct SegmentTrial {
  std::uint64_t n;
  Bounds bounds{};
  bool init = false;
  bool faults = false;
  std::uint64_t shift = 0;  ///< Elements by which memory begins later.
};

template <class Bound>
std::vector<Bound> column_of(const Bounds& bounds, bool ends) {
  std::vector<Bound> column;
  for (const auto& [begin, end] : bounds) column.push_back(static_cast<Bound>(ends ? end : begin));
  return column;
}

/// Reduces the segments, and returns how results, or what lies beside them, differ from those of
/// each segment alone.
template <class Out, class Bound, class In, class Acc>
std::string segments_difference(Queue& queue, const LineCall<In, Acc>& call,
                                const SegmentTrial& trial) {
  Random random(seed() + trial.n);
  std::vector<In> host(trial.n + trial.shift, call.other);
  for (std::uint64_t i = trial.shift; i < host.size(); ++i) host[i] = call.draw(random);
  auto input = queue.upload(std::span<const In>(host));
  auto begins = queue.upload(std::span<const Bound>(column_of<Bound>(trial.bounds, false)));
  auto ends = queue.upload(std::span<const Bound>(column_of<Bound>(trial.bounds, true)));
  auto faults = queue.allocate<std::uint64_t>(1);
  queue.fill(faults, std::uint64_t{77});
  LineMemory<Out> result(queue, Lines::values(trial.bounds.size()), Out{}, trial.shift + 1);
  std::optional<Value> init;
  std::optional<Acc> from;
  if (trial.init) init = Value(*(from = call.init));
  ReduceOptions options;
  options.segments = Segments::of_bounds(begins, ends);
  if (trial.faults) options.segments->faults = erase(faults);
  transform_reduce_into(queue, erase(input.view(trial.shift, trial.n)), erase(result.view()),
                        call.op, init, call.map, options);
  const std::span<const In> elements = std::span<const In>(host).subspan(trial.shift);
  std::uint64_t faulty = 0;
  for (std::size_t s = 0; s < trial.bounds.size(); ++s) {
    const auto& [begin, end] = trial.bounds[s];
    result.at(s, 0) = static_cast<Out>(call.reduced(segment_of(elements, trial.bounds[s]), from));
    if (end < begin || end > trial.n) ++faulty;
  }
  std::string problem = result.difference();
  const std::uint64_t counted = queue.download(faults)[0];
  if (trial.faults && counted != faulty) {
    problem += " faults: " + std::to_string(counted) + " instead of " + std::to_string(faulty);
  }
  return problem;
}

}  // namespace bifold::test
