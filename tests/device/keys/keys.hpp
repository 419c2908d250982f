// Keys of an array, and what calls by key have to give: each run alone, on the host.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/cases/lines.hpp"

namespace bifold::test {

/// Keys that repeat as often as lengths say, each next to another one.
template <class Key>
std::vector<Key> keys_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<Key> keys;
  for (std::size_t run = 0; run < lengths.size(); ++run) {
    keys.insert(keys.end(), lengths[run], static_cast<Key>(run * 37 % 101));
  }
  return keys;
}

/// Most runs are short, and one in a hundred has thousands of elements; `count` elements at least.
inline std::vector<std::uint64_t> run_lengths(std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t all = 0; all < count; all += lengths.back()) {
    const std::uint64_t most = random.one_in(100) ? 6000 : random.one_in(10) ? 150 : 12;
    lengths.push_back(1 + random.next() % most);
  }
  return lengths;
}

/// How a call by key is made.
struct KeyTrial {
  std::vector<std::uint64_t> lengths{};
  bool init = false;
  std::uint64_t shift = 0;              ///< Elements by which memory begins later.
  std::optional<std::uint64_t> room{};  ///< Places of results: as many as runs without.
};

/// Reduces the runs, and returns how results, or what lies beside them, differ from those of each
/// run alone.
template <class Out, class Key, class Count, class In, class Acc>
std::string keys_difference(Queue& queue, const LineCall<In, Acc>& call, const KeyTrial& trial) {
  const std::vector<Key> host_keys = keys_of<Key>(trial.lengths);
  const std::uint64_t n = host_keys.size();
  Random random(seed() + n);
  std::vector<In> host(n + trial.shift, call.other);
  for (std::uint64_t i = trial.shift; i < host.size(); ++i) host[i] = call.draw(random);
  const auto input = queue.upload(std::span<const In>(host));
  const auto keys = queue.upload(std::span<const Key>(host_keys));
  const std::uint64_t room = trial.room.value_or(trial.lengths.size());
  LineMemory<Out> result(queue, Lines::values(room), Out{}, trial.shift + 1);
  LineMemory<Key> unique(queue, Lines::values(room), Key{111}, 3);
  auto runs = queue.allocate<Count>(1);
  std::optional<Value> init;
  std::optional<Acc> from;
  if (trial.init) init = Value(*(from = call.init));
  transform_reduce_by_key(queue, {erase(keys), erase(unique.view()), erase(runs)},
                          erase(input.view(trial.shift, n)), erase(result.view()), call.op, init,
                          call.map);
  const std::span<const In> elements = std::span<const In>(host).subspan(trial.shift);
  std::uint64_t first = 0;
  for (std::uint64_t run = 0; run < std::min<std::uint64_t>(room, trial.lengths.size()); ++run) {
    const std::uint64_t length = trial.lengths[run];
    result.at(run, 0) = static_cast<Out>(call.reduced(elements.subspan(first, length), from));
    unique.at(run, 0) = host_keys[first];
    first += length;
  }
  std::string problem = result.difference();
  if (const std::string keys_problem = unique.difference(); !keys_problem.empty()) {
    problem += " keys: " + keys_problem;
  }
  const std::uint64_t counted = queue.download(runs)[0];
  if (counted != trial.lengths.size()) {
    problem += " runs: " + std::to_string(counted) + " of " + std::to_string(trial.lengths.size());
  }
  return problem;
}

}  // namespace bifold::test
