#include "core/group/fronts.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/slices/device_array.hpp"

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

std::size_t bytes_of(const Border& border, const Elements& slice) {
  return sizeof(Seal) + border.elements.size() * bytes_of_element(slice);
}

// A border whose message begins at a byte of a memory, and a local rank.
template <class Body>
void each_message(const GroupCall& call, const Split& split, std::uint32_t Border::*end,
                  const std::vector<Elements>& slices, const Body& body) {
  const std::vector<std::uint32_t>& ranks = call.local();
  std::size_t at = 0;
  for (const Border& border : split.borders()) {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), border.*end);
    if (found == ranks.end() || *found != border.*end) continue;
    const auto local = static_cast<std::size_t>(found - ranks.begin());
    const std::size_t bytes = bytes_of(border, slices[local]);
    body(border, local, at, bytes);
    at += bytes;
  }
}

// Elements of a border, the first array's in front of the second's.
void read(const Split& split, const Border& border, const Elements& slice, std::uint64_t call,
          std::vector<std::byte>& bytes, std::size_t at, std::size_t size) {
  const std::uint64_t count = border.elements.size();
  const std::uint64_t offset = border.elements.begin - split.elements(border.from).begin;
  Queue queue = slice.queue;
  std::byte* to = bytes.data() + at + sizeof(Seal);
  const auto append = [&](const ErasedView& view) {
    transferred(queue, bytes, [&] { queue.download_bytes(part(view, offset, count), to, count); });
    to += count * size_of(view.type);
  };
  append(slice.input);
  if (slice.second) append(*slice.second);
  const auto elements = std::span(bytes).subspan(at + sizeof(Seal), size - sizeof(Seal));
  const Seal seal{call, checksum(elements)};
  std::memcpy(bytes.data() + at, &seal, sizeof seal);
}

void check(const Border& border, std::span<const std::byte> message, std::uint64_t call) {
  Seal seal;
  std::memcpy(&seal, message.data(), sizeof seal);
  if (seal.call == call && seal.sum == checksum(message.subspan(sizeof(Seal)))) return;
  throw Error(ErrorCategory::backend_failure,
              "the elements from rank " + std::to_string(border.from) + " are damaged");
}

StagedViews stage(GroupCall& call, const Split& split, std::size_t local) {
  CallRecords& records = call.records();
  const Elements& slice = records.slices[local];
  const std::uint32_t rank = call.local()[local];
  const std::uint64_t before = split.front(rank);
  if (before == 0) return {};
  Queue queue = slice.queue;
  CallMemory& memory = call.memory_of(local);
  const std::uint64_t own = split.head(rank).size();
  const auto make = [&](const ErasedView& view) {
    const ErasedView unit = memory.take(before + own, view.type);
    if (own > 0) copy_any(queue, part(view, 0, own), part(unit, before, own));
    return unit;
  };
  StagedViews staged;
  staged.input = make(slice.input);
  if (slice.second) staged.second = make(*slice.second);
  std::vector<std::byte>& received = records.fronts.received_bytes;
  std::uint64_t done = 0;
  each_message(call, split, &Border::to, records.slices,
               [&](const Border& border, std::size_t to, std::size_t at, std::size_t size) {
                 if (to != local) return;
                 check(border, std::span(received).subspan(at, size), call.number());
                 const std::uint64_t count = border.elements.size();
                 const std::byte* from = received.data() + at + sizeof(Seal);
                 const auto put = [&](const ErasedView& unit) {
                   transferred(queue, received,
                               [&] { queue.upload_bytes(part(unit, done, count), from, count); });
                   from += count * size_of(unit.type);
                 };
                 put(staged.input);
                 if (slice.second) put(staged.second);
                 done += count;
               });
  return staged;
}

}  // namespace

void add_front(MemoryNeeds& needs, const Split& split, std::uint32_t rank, const Elements& slice) {
  if (split.front(rank) == 0) return;
  const std::uint64_t unit = split.front(rank) + split.head(rank).size();
  needs.add_device(unit, slice.input.type);
  if (slice.second) needs.add_device(unit, slice.second->type);
}

void exchange_fronts(GroupCall& call, const Split& split) {
  CallRecords& records = call.records();
  FrontRecords& fronts = records.fronts;
  // A rank that has failed sends as much as any other: its failure travels with what follows.
  const auto make_room = [&](std::uint32_t Border::*end, std::vector<std::byte>& bytes) {
    std::size_t all = 0;
    each_message(
        call, split, end, records.slices,
        [&all](const Border&, std::size_t, std::size_t, std::size_t size) { all += size; });
    bytes.resize(all);
  };
  make_room(&Border::from, fronts.sent_bytes);
  make_room(&Border::to, fronts.received_bytes);
  call.each([&](std::size_t local) {
    // Bytes of a transfer that failed may have been given up.
    make_room(&Border::from, fronts.sent_bytes);
    each_message(call, split, &Border::from, records.slices,
                 [&](const Border& border, std::size_t from, std::size_t at, std::size_t size) {
                   if (from != local) return;
                   read(split, border, records.slices[local], call.number(), fronts.sent_bytes, at,
                        size);
                 });
  });
  make_room(&Border::from, fronts.sent_bytes);
  fronts.sent.clear();
  fronts.received.clear();
  each_message(call, split, &Border::from, records.slices,
               [&](const Border& border, std::size_t, std::size_t at, std::size_t size) {
                 fronts.sent.push_back(
                     {border.from, border.to, std::span(fronts.sent_bytes).subspan(at, size)});
               });
  each_message(call, split, &Border::to, records.slices,
               [&](const Border& border, std::size_t, std::size_t at, std::size_t size) {
                 fronts.received.push_back(
                     {border.from, border.to, std::span(fronts.received_bytes).subspan(at, size)});
               });
  call.exchange(fronts.sent, fronts.received);
  records.staged.assign(call.local().size(), {});
  call.each([&](std::size_t local) {
    make_room(&Border::to, fronts.received_bytes);
    records.staged[local] = stage(call, split, local);
  });
}

}  // namespace bifold::core
