#include "core/group/stream_ranks.hpp"

#include <algorithm>
#include <utility>

namespace bifold::core {

namespace {

std::vector<std::byte> bytes_of(const Value& value) {
  return {value.data(), value.data() + value.size()};
}

}  // namespace

StreamRanks::StreamRanks(StreamTransport& transport, std::vector<std::uint32_t> local, Split split,
                         std::uint64_t most)
    : transport_(transport),
      local_(std::move(local)),
      split_(std::move(split)),
      most_(most),
      ranks_(local_.size()) {}

void StreamRanks::make(std::size_t local, const Elements& elements, std::uint64_t scratch,
                       Type accumulator, const std::optional<Value>& init) {
  Rank& own = ranks_[local];
  Queue queue = elements.queue;
  const Device& device = queue.device();
  own.scratch = Buffer<std::uint8_t>(device, std::max<std::uint64_t>(scratch, 1));
  own.workspace = Workspace(own.scratch.view());
  own.workspace.prepare(queue);
  if (const std::uint64_t front = split_.front(local_[local]); front > 0) {
    const std::uint64_t unit = front + split_.head(local_[local]).size();
    own.staged.input = DeviceArray(device, unit, elements.input.type);
    if (elements.second) own.staged.second = DeviceArray(device, unit, elements.second->type);
  }
  own.mine = DeviceArray(device, most_, accumulator);
  own.all = DeviceArray(device, place_of_init() + (init ? 1 : 0), accumulator);
  if (init) upload(queue, own.all.view(place_of_init(), 1), bytes_of(*init));
}

void StreamRanks::exchange_fronts(const std::vector<Elements>& slices) {
  if (split_.borders().empty()) return;
  const auto exchange = [&](const auto& view_of, const auto& staged_of) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const DeviceArray& staged = staged_of(ranks_[i].staged);
      const std::uint64_t own = split_.head(local_[i]).size();
      if (staged.view().count == 0 || own == 0) continue;
      copy_any(slices[i].queue, part(view_of(slices[i]), 0, own),
               staged.view(split_.front(local_[i]), own));
    }
    std::vector<StreamMessage> sent;
    std::vector<StreamMessage> received;
    for (const Border& border : split_.borders()) {
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        const std::uint64_t count = border.elements.size();
        if (border.from == local_[i]) {
          const std::uint64_t offset = border.elements.begin - split_.elements(border.from).begin;
          sent.push_back(
              {border.from, border.to, slices[i].queue, part(view_of(slices[i]), offset, count)});
        }
        if (border.to == local_[i]) {
          const std::uint64_t front = split_.front(border.to);
          const std::uint64_t begin = split_.elements(border.to).begin - front;
          received.push_back(
              {border.from, border.to, slices[i].queue,
               staged_of(ranks_[i].staged).view(border.elements.begin - begin, count)});
        }
      }
    }
    if (!sent.empty() || !received.empty()) transport_.enqueue_exchange(sent, received);
  };
  exchange([](const Elements& slice) { return slice.input; },
           [](const Staged& staged) -> const DeviceArray& { return staged.input; });
  if (!slices.front().second) return;
  exchange([](const Elements& slice) { return slice.second.value_or(slice.input); },
           [](const Staged& staged) -> const DeviceArray& { return staged.second; });
}

void StreamRanks::gather(const std::vector<Elements>& slices) {
  if (most_ == 0) return;
  std::vector<StreamGather> ranks;
  ranks.reserve(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank& own = ranks_[i];
    ranks.push_back({slices[i].queue, own.mine.view(), own.all.view(0, place_of_init())});
  }
  transport_.enqueue_all_gather(ranks);
}

void StreamRanks::gather(const std::vector<Elements>& slices, const std::vector<DeviceArray>& mine,
                         const std::vector<DeviceArray>& all) {
  std::vector<StreamGather> ranks;
  ranks.reserve(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks.push_back({slices[i].queue, mine[i].view(), all[i].view()});
  }
  transport_.enqueue_all_gather(ranks);
}

}  // namespace bifold::core
