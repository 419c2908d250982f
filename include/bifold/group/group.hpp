/// @file
/// Groups: ranks that reduce and scan one array together, and what moves bytes between them.
#pragma once

#include <bifold/export.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace bifold {

/// @addtogroup groups
/// @{

/// Bytes that a rank of this process sends to another rank.
struct Outgoing {
  std::uint32_t from;                ///< A rank of this process.
  std::uint32_t to;                  ///< Any other rank.
  std::span<const std::byte> bytes;  ///< Read until exchange() returns.
};

/// Where bytes from another rank go to. Both sides know how many there are.
struct Incoming {
  std::uint32_t from;          ///< Any other rank.
  std::uint32_t to;            ///< A rank of this process.
  std::span<std::byte> bytes;  ///< Written until exchange() returns.
};

/// When a transport gives up to wait.
using Deadline = std::chrono::steady_clock::time_point;

/// Moves bytes between the ranks of one group, and never looks at them. A process drives one rank
/// or several, the same ones all the time. A call is made by one thread at a time. What it throws
/// ends the group: a bifold::Error, `timeout` past the deadline, or any other exception, which
/// counts as `backend_failure`. When it throws, the memory it was given is no longer in use.
class BIFOLD_API_CLASS Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// The number of ranks.
  [[nodiscard]] virtual std::uint32_t size() const = 0;
  /// The ranks of this process, ascending; at least one.
  [[nodiscard]] virtual std::vector<std::uint32_t> local_ranks() const = 0;
  /// Every rank gives as many bytes; `mine` has those of each local rank, `all` receives those of
  /// all ranks, in the order of ranks. Every process makes the same calls in the same order.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                          Deadline deadline) = 0;
  /// Sends and receives messages, at most one from a rank to another one. Called by the processes
  /// that have some, in the same order.
  virtual void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                        Deadline deadline) = 0;
};

/// Everything about making a group that has a default.
struct GroupOptions {
  std::chrono::nanoseconds deadline = std::chrono::seconds(30);  ///< Of each wait for other ranks.
};

namespace detail {
struct GroupState;
}

/// Ranks, each with a slice of one array, that are reduced or scanned together: see
/// bifold/group/distributed.hpp. All ranks make the same calls in the same order. A value handle;
/// copies are the same group, and one that was moved from is refused with invalid_argument. A call
/// while another thread is in one is invalid_argument, too. After a failure of its transport the
/// group is out of use: calls throw that failure again.
class BIFOLD_API_CLASS Group {
 public:
  /// Throws invalid_argument for no transport, no ranks, local ranks that are not ascending and
  /// below size(), or a deadline that is not positive.
  explicit Group(std::shared_ptr<Transport> transport, const GroupOptions& options = {});
  /// All of `ranks` ranks in this process, each with a queue of any device.
  static Group in_process(std::uint32_t ranks);

  /// The number of ranks.
  [[nodiscard]] std::uint32_t size() const;
  /// The ranks of this process, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& local_ranks() const;

  /// @cond internal
  [[nodiscard]] detail::GroupState& state() const;
  /// @endcond

 private:
  std::shared_ptr<detail::GroupState> state_;
};

/// @}

}  // namespace bifold
