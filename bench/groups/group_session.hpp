// The devices that share an array as ranks of a group: their slices, and calls over them.
#pragma once

#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "groups/group_calls.hpp"
#include "groups/timed_transport.hpp"
#include "measure/options.hpp"
#include "measure/result.hpp"
#include "peers/processes.hpp"

namespace bench {

class SliceSums;

/// All processes make the same calls in the same order.
class GroupSession {
 public:
  /// Opens the devices of this process' ranks. Throws UsageError, in all processes, for a selector
  /// that nothing answers in one. The processes must outlive the session.
  GroupSession(const RunOptions& options, const Processes& processes);

  /// The numbers of ranks to measure: powers of two, and all of them.
  [[nodiscard]] std::vector<std::uint32_t> rank_counts() const;
  /// The first ranks, nothing measured yet.
  [[nodiscard]] std::vector<RankReport> ranks(std::uint32_t count) const;
  /// Those of this process, each once.
  [[nodiscard]] std::vector<DeviceReport> devices() const;

  /// Blocks. Compares the bits with those of one device that has the whole array, then times the
  /// call of `result.what` over as many ranks as the result has.
  void run(GroupResult& result);

 private:
  struct Members {
    std::unique_ptr<Team> team;
    std::shared_ptr<TimedTransport> transport;  ///< Null where this process has none of the ranks.
    std::optional<bifold::Group> group;
  };

  Members& members(std::uint32_t ranks);
  [[nodiscard]] std::vector<GroupPart> parts(const GroupResult& result);
  void check_room(const GroupResult& result);
  void load(const GroupResult& result);
  void verify(GroupResult& result, GroupCalls& calls);
  void time(GroupResult& result, GroupCalls& calls, Members& members);
  /// Whether the slices' sums add up, so that this is to be timed beside the group's call.
  bool adds_up(GroupResult& result, GroupCalls& calls, SliceSums& slices);

  const Processes& processes_;
  bool in_process_;
  Budget budget_;
  std::vector<LocalRank> locals_;
  std::vector<RankReport> ranks_;
  std::map<std::uint32_t, Members> members_;
  std::string lost_;  ///< Why the group can no longer be used.
};

}  // namespace bench
