// What a call over a group writes down as it goes. The group keeps the memory, so that a warm call
// allocates nothing.
#pragma once

#include <array>
#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/slices/call_memory.hpp"
#include "core/slices/elements.hpp"
#include "core/slices/terms.hpp"

namespace bifold::detail {
class Plan;
}

namespace bifold::core {

/// Values of a rank that travel with its terms have up to so many bytes.
inline constexpr std::size_t early_bytes = 256;

/// What each rank says first.
struct Opening {
  Terms terms{};
  std::uint64_t count = 0;  ///< Its elements.
  std::uint64_t early = 0;  ///< Whether values follow, made for the counts of the last call.
  std::array<std::byte, early_bytes> values{};
};
static_assert(std::has_unique_object_representations_v<Opening>);

/// What a fold reads, uses, and leaves.
struct FoldRecords {
  std::vector<std::byte> values;
  std::vector<std::uint32_t> merges;
  std::vector<std::uint64_t> wanted;
  std::vector<std::byte> stack;
  std::vector<Value> results;
};

/// Elements on their way between ranks.
struct FrontRecords {
  std::vector<std::byte> sent_bytes;
  std::vector<std::byte> received_bytes;
  std::vector<Outgoing> sent;
  std::vector<Incoming> received;
};

struct CallRecords {
  // Of the local ranks.
  std::vector<std::optional<Error>> failures;
  std::vector<Elements> slices;
  std::vector<Opening> openings;
  std::vector<std::shared_ptr<const detail::Plan>> plans;
  std::vector<StagedViews> staged;
  std::vector<ErasedView> results;
  std::vector<std::vector<std::byte>> values;
  std::vector<CallMemory> memory;  ///< One for each queue.
  // Of all ranks.
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
  std::vector<Opening> all_openings;
  std::vector<std::uint64_t> early_counts;
  FrontRecords fronts;
  FoldRecords fold;

  /// What is not to outlive a call.
  void end() noexcept {
    failures.clear();
    memory.clear();
    slices.clear();
    plans.clear();
  }
};

}  // namespace bifold::core
