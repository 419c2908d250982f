// What a group's sum stands beside: sums of the slices, each by one device, that the transport's
// library adds.
#pragma once

#include <bifold/bifold.hpp>
#include <memory>
#include <string>
#include <vector>

#include "groups/group_calls.hpp"
#include "peers/peer.hpp"
#include "peers/processes.hpp"

namespace bench {

class SliceSums {
 public:
  /// By bifold, and by CUB where it is there and has such a call; none where the transport's
  /// library adds nothing of that kind. All processes get as many. `team` is null where this
  /// process has none of the ranks; it and the calls outlive what is returned.
  static std::vector<SliceSums> all(const Processes& processes, const Configuration& what,
                                    GroupCalls& calls, const Team* team);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Blocks. Of this process' slice.
  bifold::Value own();
  /// Blocks. Of all slices, as the transport's library adds them.
  bifold::Value added_up();

 private:
  SliceSums(std::string name, bifold::Type type, GroupCalls& calls, const Team* team)
      : name_(std::move(name)), type_(type), calls_(&calls), team_(team) {}

  std::string name_;
  bifold::Type type_;
  GroupCalls* calls_;
  const Team* team_;
  bifold::Buffer<std::uint8_t> result_{};  ///< A peer's.
  std::unique_ptr<PeerCall> call_{};       ///< Null: bifold.
};

}  // namespace bench
