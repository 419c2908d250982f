#include "core/group/fronts.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace bifold::core {

namespace {

// In front of a message's elements.
struct Seal {
  std::uint64_t call;
  std::uint64_t sum;
};

std::size_t bytes_of_element(const Elements& slice) {
  return size_of(slice.input.type) + (slice.second ? size_of(slice.second->type) : 0);
}

// The elements of a border, the first array's in front of the second's.
std::vector<std::byte> read(const Split& split, const Border& border, const Elements& slice,
                            std::uint64_t call) {
  const std::uint64_t count = border.elements.size();
  const std::uint64_t offset = border.elements.begin - split.elements(border.from).begin;
  std::vector<std::byte> message(sizeof(Seal));
  message.reserve(sizeof(Seal) + count * bytes_of_element(slice));
  const auto append = [&](const ErasedView& view) {
    const std::vector<std::byte> bytes = download(slice.queue, part(view, offset, count));
    message.insert(message.end(), bytes.begin(), bytes.end());
  };
  append(slice.input);
  if (slice.second) append(*slice.second);
  const Seal seal{call, checksum(std::span(message).subspan(sizeof(Seal)))};
  std::memcpy(message.data(), &seal, sizeof seal);
  return message;
}

void check(const Border& border, std::span<const std::byte> message, std::uint64_t call) {
  Seal seal;
  std::memcpy(&seal, message.data(), sizeof seal);
  if (seal.call == call && seal.sum == checksum(message.subspan(sizeof(Seal)))) return;
  throw Error(ErrorCategory::backend_failure,
              "the elements from rank " + std::to_string(border.from) + " are damaged");
}

struct Message {
  std::size_t local;
  Border border;
  std::vector<std::byte> bytes;
};

Staged stage(const Split& split, std::uint32_t rank, const Elements& slice,
             const std::vector<Message>& messages, std::size_t local, std::uint64_t call) {
  Staged staged;
  const std::uint64_t before = split.front(rank);
  if (before == 0) return staged;
  const Queue& queue = slice.queue;
  const std::uint64_t own = split.head(rank).size();
  const auto make = [&](const ErasedView& view) {
    DeviceArray array(queue.device(), before + own, view.type);
    if (own > 0) copy_any(queue, part(view, 0, own), array.view(before, own));
    return array;
  };
  staged.input = make(slice.input);
  if (slice.second) staged.second = make(*slice.second);
  std::uint64_t at = 0;
  for (const Message& message : messages) {
    if (message.local != local) continue;
    check(message.border, message.bytes, call);
    const std::uint64_t count = message.border.elements.size();
    const auto begin = message.bytes.begin() + std::ptrdiff_t{sizeof(Seal)};
    const auto middle = begin + static_cast<std::ptrdiff_t>(count * size_of(slice.input.type));
    upload(queue, staged.input.view(at, count), {begin, middle});
    if (slice.second) {
      upload(queue, staged.second.view(at, count), {middle, message.bytes.end()});
    }
    at += count;
  }
  return staged;
}

}  // namespace

std::vector<Staged> exchange_fronts(GroupCall& call, const Split& split,
                                    const std::vector<Elements>& slices) {
  const std::vector<std::uint32_t>& ranks = call.local();
  std::vector<Message> sent;
  std::vector<Message> received;
  const auto local_of = [&ranks](std::uint32_t rank) {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), rank);
    const bool is_local = found != ranks.end() && *found == rank;
    return is_local ? static_cast<std::size_t>(found - ranks.begin()) : ranks.size();
  };
  for (const Border& border : split.borders()) {
    const std::size_t from = local_of(border.from);
    const std::size_t to = local_of(border.to);
    // A rank that has failed sends as much as any other: its failure travels with what follows.
    const auto room = [&](std::size_t local) {
      return std::vector<std::byte>(sizeof(Seal) +
                                    border.elements.size() * bytes_of_element(slices[local]));
    };
    if (from < ranks.size()) sent.push_back({from, border, room(from)});
    if (to < ranks.size()) received.push_back({to, border, room(to)});
  }
  call.each([&](std::size_t local) {
    for (Message& message : sent) {
      if (message.local == local) {
        message.bytes = read(split, message.border, slices[local], call.number());
      }
    }
  });
  std::vector<Outgoing> outgoing;
  outgoing.reserve(sent.size());
  for (const Message& one : sent) outgoing.push_back({one.border.from, one.border.to, one.bytes});
  std::vector<Incoming> incoming;
  incoming.reserve(received.size());
  for (Message& one : received) incoming.push_back({one.border.from, one.border.to, one.bytes});
  call.exchange(outgoing, incoming);
  std::vector<Staged> staged(ranks.size());
  call.each([&](std::size_t local) {
    staged[local] = stage(split, ranks[local], slices[local], received, local, call.number());
  });
  return staged;
}

}  // namespace bifold::core
