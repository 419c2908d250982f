// How an input is shared out to groups, and what they leave between launches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/plan/plan.hpp"
#include "core/plan/turns.hpp"

namespace bifold::core {

/// Scratch for `count` accumulators, and for one more where their size need not divide the place
/// at which the raw part starts.
constexpr ScratchSize accumulators(std::uint64_t count, std::size_t bytes_each) noexcept {
  const bool divides = std::has_single_bit(bytes_each);
  const std::uint64_t values = count + (divides || count == 0 ? 0 : 1);
  // No memory holds what does not fit the number either.
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  return {0, values > most / bytes_each ? most : values * bytes_each};
}

/// Groups that share out spans: at most `limit`, and more where none of them may take more than
/// `most_spans`.
constexpr std::uint64_t groups_of(std::uint64_t spans, std::uint64_t limit,
                                  std::uint64_t most_spans) {
  return std::clamp<std::uint64_t>(spans, 1, std::max(limit, divide_up(spans, most_spans)));
}

/// Accumulators that a plan keeps between its launches: at most `limit`, one per `span` elements.
struct Partials {
  std::uint64_t limit;
  std::uint64_t span;
  std::size_t bytes_each;
  std::uint64_t most_spans = no_limit;  ///< Of one group.
  std::uint64_t most = no_limit;        ///< That the group behind them combines.

  [[nodiscard]] std::uint64_t count(std::uint64_t n) const noexcept {
    return groups_of(divide_up(n, span), limit, most_spans);
  }
  /// Of which there are not too many.
  [[nodiscard]] std::uint64_t most_elements() const noexcept {
    return at_most(limit > most ? most : at_most(most, most_spans), span);
  }
  [[nodiscard]] ScratchSize scratch(std::uint64_t n) const noexcept {
    return accumulators(count(n), bytes_each);
  }
};

/// The raw part of a call's scratch as accumulators: from the first one on that lies in it, as
/// offsets count whole elements.
inline Range partials_of(const Call& call) {
  return {call.scratch.memory, divide_up(call.scratch.raw_offset, call.init.value.size())};
}

}  // namespace bifold::core
