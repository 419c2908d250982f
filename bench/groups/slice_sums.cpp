#include "groups/slice_sums.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "measure/arena.hpp"
#include "peers/modules.hpp"
#include "peers/native_queue.hpp"

namespace bench {
namespace {

PeerTask task_of(const Configuration& what, const GroupPart& part,
                 bifold::Buffer<std::uint8_t>& result) {
  PeerTask task;
  task.type = what.type;
  task.op = what.op.kind();
  task.identity = what.op.identity(what.type);
  task.n = part.count;
  task.queue = native_queue(part.local->queue);
  task.input = elements_of(part.local->input, what.type, 0, part.count).memory.handle;
  task.output = result.view().memory().handle;
  return task;
}

/// Whether every process says so.
bool all_say(const Processes& processes, bool mine) {
  const auto said = in_all(processes, [mine]() -> std::uint64_t { return mine ? 1 : 0; });
  return std::ranges::all_of(said, [](std::uint64_t one) { return one == 1; });
}

}  // namespace

std::vector<SliceSums> SliceSums::all(const Processes& processes, const Configuration& what,
                                      GroupCalls& calls, const Team* team) {
  std::vector<SliceSums> sums;
  const bool adds = team != nullptr && team->adds(what.type);
  if (!first_says(processes, adds && !calls.scans() && what.op == bifold::plus)) return sums;
  sums.push_back({"MPI_Allreduce of the slices' sums", what.type, calls, team});

  const PeerModule cub = open_peers({"cub"}).front();
  SliceSums by_cub("MPI_Allreduce of CUB's sums of the slices", what.type, calls, team);
  bool here = calls.parts().empty();
  if (!here && cub.peer != nullptr) {
    const GroupPart& part = calls.parts().front();
    try {
      if (side_of(part.local->device) == PeerSide::cuda && part.count > 0) {
        by_cub.result_ =
            bifold::Buffer<std::uint8_t>(part.local->device, bifold::max_element_bytes);
        const PeerTask task = task_of(what, part, by_cub.result_);
        if (cub.peer->obstacle(task).empty()) by_cub.call_ = cub.peer->prepare(task);
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then it is left out.
    }
    here = by_cub.call_ != nullptr;
  }
  if (all_say(processes, here)) sums.push_back(std::move(by_cub));
  return sums;
}

bifold::Value SliceSums::own() {
  const GroupPart& part = calls_->parts().front();
  if (!call_) return calls_->alone(*part.local, part.count);
  std::array<std::byte, bifold::max_element_bytes> value{};
  call_->block(value.data());
  return bifold::Value::from_bytes(type_, value.data());
}

bifold::Value SliceSums::added_up() {
  const bifold::Value own = this->own();
  std::array<std::byte, bifold::max_element_bytes> sum{};
  std::copy_n(own.data(), own.size(), sum.begin());
  team_->add_up(type_, sum.data());
  return bifold::Value::from_bytes(type_, sum.data());
}

}  // namespace bench
