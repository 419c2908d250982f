// One call of a group: what its local ranks have come to, and what all ranks tell each other.
#pragma once

#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/group/group_state.hpp"

namespace bifold::core {

/// The exception being handled as an Error.
Error error_of_exception();

/// What tells one content from another, of any length.
std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

/// As many bytes of each rank, in their order, until the next gather.
struct Gathered {
  const std::byte* first = nullptr;
  std::size_t stride = 0;

  [[nodiscard]] const std::byte* of(std::uint32_t rank) const { return first + rank * stride; }
};

/// Whether a call's number is one that ranks tell each other.
enum class Numbered : std::uint8_t { yes, no };

/// Whether a call of a group that is out of use begins, or throws at once.
enum class OutOfUse : std::uint8_t { refused, allowed };

/// Local ranks are counted from 0 here.
class GroupCall {
 public:
  /// Throws invalid_argument while another thread is in a call, and the transport's failure once
  /// there was one, unless that is allowed. `ranks` is for how many local ranks the caller brings
  /// slices; for others than the group's, all of them fail.
  GroupCall(const Group& group, std::size_t ranks, Numbered numbered = Numbered::yes,
            OutOfUse out_of_use = OutOfUse::refused);
  GroupCall(const GroupCall&) = delete;
  GroupCall& operator=(const GroupCall&) = delete;
  ~GroupCall() { group_.records.end(); }

  [[nodiscard]] std::uint32_t size() const noexcept { return group_.size; }
  [[nodiscard]] const std::vector<std::uint32_t>& local() const noexcept { return group_.local; }
  [[nodiscard]] std::uint64_t number() const noexcept { return group_.calls; }
  /// Of the ranks in the last call; empty where there is none.
  [[nodiscard]] const std::vector<std::uint64_t>& last_counts() const noexcept {
    return group_.counts;
  }
  /// When a wait that begins now ends.
  [[nodiscard]] Deadline deadline() const;
  [[nodiscard]] detail::GroupState& group() noexcept { return group_; }
  [[nodiscard]] CallRecords& records() noexcept { return group_.records; }
  /// Of a local rank's queue. A reference is good until memory of another rank is asked for.
  CallMemory& memory_of(std::size_t local);
  [[nodiscard]] bool failed(std::size_t local) const { return failures_[local].has_value(); }
  void fail(std::size_t local, const Error& error);
  /// Throws the failure of the first local rank that has one.
  void raise() const;
  /// Throws the failure that has put the group out of use, if there was one.
  void refuse_out_of_use() const;
  /// Throws what is being handled, which ends the group.
  [[noreturn]] void end_group();

  /// Calls body(i) for each local rank that has not failed. What it throws is the rank's failure.
  template <class Body>
  void each(const Body& body) {
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      if (failed(i)) continue;
      try {
        body(i);
      } catch (...) {
        fail(i, error_of_exception());
      }
    }
  }

  /// All ranks' bytes, of which each local rank gives as many. Throws the failure of the first rank
  /// that has one, on all ranks.
  Gathered gather(std::size_t bytes, std::span<const std::vector<std::byte>> mine);
  /// gather() of what ranks say first, which stays in the records. Throws invalid_argument, on all
  /// ranks, where terms differ. Whether all ranks have early values.
  bool open(std::span<const Opening> mine);
  /// Messages between ranks. A failure of the transport is that of all local ranks.
  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received);

 private:
  template <class BytesOf>
  void exchange_all(std::size_t bytes, const BytesOf& bytes_of);

  detail::GroupState& group_;
  std::unique_lock<std::mutex> turn_;
  std::uint32_t gathered_ = 0;
  bool late_ = false;  // Other ranks may be, by one deadline.
  bool lost_messages_ = false;
  std::vector<std::optional<Error>>& failures_;
};

/// A call in which all local ranks fail for what is wrong before it, so that no other rank waits.
[[noreturn]] void refuse_over(const Group& group, const Error& error);

/// prepare(), whose failure is that of all ranks.
template <class Prepare>
auto prepared_over(const Group& group, const Prepare& prepare) {
  try {
    return prepare();
  } catch (...) {
    refuse_over(group, error_of_exception());
  }
}

}  // namespace bifold::core
