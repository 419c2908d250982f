#include "groups/group_calls.hpp"

#include <algorithm>
#include <bifold/group/distributed.hpp>
#include <cstddef>
#include <utility>

#include "data/digest.hpp"
#include "measure/arena.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

/// Up to so many elements, one device's result is compared with the host's.
constexpr std::uint64_t most_on_host = std::uint64_t{1} << 20;

/// Of elements of an array, from number `first` on.
std::uint64_t digest_of(bifold::Queue& queue, bifold::ErasedView view, std::uint64_t first) {
  Digest digest(first, view.type);
  const std::uint64_t size = bifold::size_of(view.type);
  std::vector<std::byte> part;
  for (std::uint64_t left = view.count; left > 0; left -= view.count) {
    view.count = std::min(left, verifier_bytes / size);
    part.resize(view.count * size);
    queue.download_bytes(view, part.data(), view.count);
    digest.add(part.data(), view.count, view.type);
    view.byte_offset += view.count * size;
  }
  return digest.value();
}

}  // namespace

std::uint64_t digest_of(const bifold::Value& value) {
  Digest digest;
  digest.add(value.data(), 1, value.type());
  return digest.value();
}

GroupCalls::GroupCalls(const Configuration& what, std::vector<GroupPart> parts,
                       bifold::Group* group)
    : what_(what), op_(what.operation()), parts_(std::move(parts)), group_(group) {}

bifold::Value GroupCalls::alone(LocalRank& local, std::uint64_t count) {
  const bifold::ErasedView input = elements_of(local.input, what_.type, 0, count);
  if (!scans()) {
    bifold::ReduceOptions options;
    options.order = what_.order;
    return bifold::transform_reduce(local.queue, input, what_.type, op_, {}, {}, options);
  }
  bifold::ScanOptions options;
  options.order = what_.order;
  bifold::scan(local.queue, what_.kind, input, elements_of(local.output, what_.type, 0, count), op_,
               {}, options);
  local.queue.finish(wait_limit);
  return {};
}

bifold::Value GroupCalls::together() {
  bifold::DistributedOptions options;
  options.order = what_.order;
  if (!scans()) {
    std::vector<bifold::Slice> slices;
    slices.reserve(parts_.size());
    for (const GroupPart& part : parts_) {
      slices.push_back(
          {part.local->queue, elements_of(part.local->input, what_.type, 0, part.count)});
    }
    return bifold::transform_reduce(*group_, slices, what_.type, op_, {}, {}, options);
  }
  std::vector<bifold::ScanSlice> slices;
  slices.reserve(parts_.size());
  for (const GroupPart& part : parts_) {
    slices.push_back({part.local->queue, elements_of(part.local->input, what_.type, 0, part.count),
                      elements_of(part.local->output, what_.type, 0, part.count)});
  }
  bifold::scan(*group_, what_.kind, slices, op_, {}, options);
  for (const GroupPart& part : parts_) part.local->queue.finish(wait_limit);
  return {};
}

void GroupCalls::spoil(LocalRank& local, std::uint64_t count) {
  if (!scans()) return;
  local.queue.fill(elements_of(local.output, what_.type, 0, count), poison(what_.type));
}

std::uint64_t GroupCalls::digest(LocalRank& local, std::uint64_t first, std::uint64_t count,
                                 const bifold::Value& value) {
  if (!scans()) return digest_of(value);
  return digest_of(local.queue, elements_of(local.output, what_.type, 0, count), first);
}

std::optional<Mismatch> GroupCalls::mismatch(LocalRank& local, const bifold::Value& value) const {
  if (what_.n > most_on_host) return {};
  const HostData data(what_.type, what_.op, what_.n, what_.data);
  if (!scans()) return Verifier::check_host_reduce(value.data(), data, what_.n);
  Verifier verifier;
  return verifier.check_scan(local.queue, elements_of(local.output, what_.type, 0, what_.n), data,
                             what_.kind);
}

}  // namespace bench
