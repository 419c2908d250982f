// The scratch memory of a call.
#pragma once

#include <algorithm>
#include <cstdint>

#include "interface.hpp"

namespace bifold::core {

using detail::Memory;

/// How much a call needs of what it may use; both grow with n only. Tagged words keep their content
/// from call to call, so that nothing has to be reset: control words that a kernel leaves as the
/// next one is to find them, and words each of which carries a tag that tells its call. Raw bytes
/// hold anything.
struct ScratchSize {
  std::uint64_t tagged_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

/// What one call may use: two parts of one memory, as every memory that a launch names costs time.
struct Scratch {
  Memory memory;
  std::uint64_t tagged_offset = 0;  // In bytes, a multiple of 8.
  std::uint64_t tagged_bytes = 0;
  std::uint64_t raw_offset = 0;  // In bytes, a multiple of 8.
};

/// The tagged words begin with a counter for each set of a reduction's groups, 0 between calls, and
/// the two control words: {epoch, ticket}, and how many groups or tiles have finished, 0 between
/// calls. Scans have no use for the counters, but leave anything behind the control words, where
/// these are the same for all.
inline constexpr std::uint64_t set_counters = 64;
inline constexpr std::uint64_t control_words = set_counters + 2;
inline constexpr std::uint64_t word_bytes = 8;

/// Index of the first of the two control words.
constexpr std::uint64_t control_of(const Scratch& scratch) noexcept {
  return scratch.tagged_offset / word_bytes + set_counters;
}

/// What parts of it begin at multiples of, from its first byte on.
inline constexpr std::uint64_t scratch_granule = 256;

constexpr std::uint64_t in_granules(std::uint64_t bytes) noexcept {
  return (bytes + scratch_granule - 1) / scratch_granule * scratch_granule;
}

/// Bytes of memory whose halves hold `size`.
constexpr std::uint64_t bytes_in_halves(ScratchSize size) noexcept {
  return 2 * in_granules(std::max(size.tagged_bytes, size.raw_bytes));
}

/// Memory from byte `begin` on as scratch: the first half for tagged words and the second for raw
/// bytes, whatever the call. So one memory serves plans of any kind, and raw content never lands on
/// tagged words.
inline Scratch in_halves(const Memory& memory, std::uint64_t begin) noexcept {
  const std::uint64_t half = (memory.bytes - begin) / (2 * scratch_granule) * scratch_granule;
  return {memory, begin, half, begin + half};
}

}  // namespace bifold::core
