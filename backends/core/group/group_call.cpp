#include "core/group/group_call.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

namespace bifold::core {

namespace {

constexpr std::uint32_t magic = 0xb1f01d01;

// In front of what a rank gives to all.
struct Header {
  std::uint32_t mark = magic;
  std::uint32_t gathered = 0;       // How many of the call came before.
  std::uint64_t call = 0;           // The call's number.
  std::uint64_t sum = 0;            // Of all bytes, with 0 here.
  std::uint32_t failure = 0;        // 1 + its category.
  std::uint32_t lost_messages = 0;  // The transport failed.
  std::array<char, 160> message{};  // Of the failure, ends with 0.
};
static_assert(sizeof(Header) == 192 && std::has_unique_object_representations_v<Header>);

ErrorCategory category_of(std::uint32_t failure) noexcept {
  constexpr auto last = static_cast<std::uint32_t>(ErrorCategory::backend_failure);
  return static_cast<ErrorCategory>(std::min(failure - 1, last));
}

}  // namespace

Error error_of_exception() {
  try {
    detail::rethrow();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return {ErrorCategory::backend_failure, error.what()};
  } catch (...) {
    return {ErrorCategory::backend_failure, "an exception of an unknown type"};
  }
}

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  // Side by side, as each multiplication waits for the one before.
  std::array<std::uint64_t, 4> sums{bytes.size(), factor, ~factor, factor >> 1};
  std::array<std::uint64_t, sums.size()> words{};
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), sizeof words);
    if (taken < sizeof words) words = {};
    std::memcpy(words.data(), bytes.data(), taken);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = (sums[i] ^ words[i]) * factor + (sums[i] >> 32);
    }
    bytes = bytes.subspan(taken);
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum = (sum ^ one) * factor + (sum >> 32);
  return sum;
}

GroupCall::GroupCall(const Group& group, std::size_t ranks, Numbered numbered, OutOfUse out_of_use)
    : group_(group.state()),
      turn_(group_.in_use, std::try_to_lock),
      failures_(group_.records.failures) {
  if (!turn_.owns_lock()) {
    throw Error(ErrorCategory::invalid_argument, "another thread is in a call of this group");
  }
  if (out_of_use == OutOfUse::refused) refuse_out_of_use();
  if (numbered == Numbered::yes) ++group_.calls;
  failures_.assign(group_.local.size(), std::nullopt);
  if (ranks == failures_.size()) return;
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    fail(i, {ErrorCategory::invalid_argument, "slices of " + std::to_string(ranks) +
                                                  " ranks, where the process has " +
                                                  std::to_string(failures_.size())});
  }
}

void GroupCall::fail(std::size_t local, const Error& error) {
  if (!failures_[local]) failures_[local] = error;
}

void GroupCall::raise() const {
  for (const std::optional<Error>& failure : failures_) {
    if (failure) throw Error(*failure);
  }
}

void GroupCall::refuse_out_of_use() const {
  if (const std::optional<Error>& broken = group_.broken) {
    throw Error(broken->category(), std::string("the group is out of use: ") + broken->what());
  }
}

void GroupCall::end_group() {
  group_.broken = error_of_exception();
  throw Error(*group_.broken);
}

Deadline GroupCall::deadline() const {
  const Deadline now = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds most = Deadline::max() - now;
  std::chrono::nanoseconds wait = std::min(group_.deadline, most);
  if (late_) wait = wait > most / 2 ? most : 2 * wait;
  return now + wait;
}

CallMemory& GroupCall::memory_of(std::size_t local) {
  std::vector<CallMemory>& known = records().memory;
  const Queue& queue = records().slices[local].queue;
  for (CallMemory& one : known) {
    if (one.is_of(queue)) return one;
  }
  return known.emplace_back(queue);
}

// Of local rank i, bytes_of(i) are sent, up to `bytes`.
template <class BytesOf>
void GroupCall::exchange_all(std::size_t bytes, const BytesOf& bytes_of) {
  const std::size_t stride = sizeof(Header) + bytes;
  std::vector<std::byte>& sent = records().sent;
  std::vector<std::byte>& received = records().received;
  sent.assign(local().size() * stride, {});
  received.resize(size() * stride);
  for (std::size_t i = 0; i < local().size(); ++i) {
    std::byte* const to = sent.data() + i * stride;
    Header header;
    header.gathered = gathered_;
    header.call = group_.calls;
    header.lost_messages = lost_messages_ ? 1 : 0;
    if (const std::optional<Error>& own = failures_[i]) {
      header.failure = 1 + static_cast<std::uint32_t>(own->category());
      const std::string_view what = own->what();
      what.copy(header.message.data(), header.message.size() - 1);
    } else {
      const std::span<const std::byte> own_bytes = bytes_of(i);
      std::copy_n(own_bytes.begin(), std::min(bytes, own_bytes.size()), to + sizeof header);
    }
    std::memcpy(to, &header, sizeof header);
    header.sum = checksum({to, stride});
    std::memcpy(to, &header, sizeof header);
  }
  try {
    group_.transport->all_gather(sent, received, deadline());
  } catch (...) {
    end_group();
  }
  std::optional<Error> failure;
  bool lost_messages = false;
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    std::byte* const from = received.data() + rank * stride;
    const auto name = [rank] { return "rank " + std::to_string(rank); };
    Header header;
    std::memcpy(&header, from, sizeof header);
    const std::uint64_t sum = std::exchange(header.sum, 0);
    std::memcpy(from, &header, sizeof header);
    if (header.mark != magic || header.call != group_.calls || header.gathered != gathered_ ||
        sum != checksum({from, stride})) {
      group_.broken.emplace(ErrorCategory::backend_failure,
                            "what " + name() + " sent is damaged, or of another call");
      throw Error(*group_.broken);
    }
    lost_messages = lost_messages || header.lost_messages != 0;
    if (header.failure != 0 && !failure) {
      header.message.back() = 0;
      failure.emplace(category_of(header.failure), name() + ": " + header.message.data());
    }
  }
  ++gathered_;
  if (failure && lost_messages) group_.broken = failure;
  if (failure) throw Error(*failure);
}

Gathered GroupCall::gather(std::size_t bytes, std::span<const std::vector<std::byte>> mine) {
  exchange_all(bytes, [mine](std::size_t i) { return std::span<const std::byte>(mine[i]); });
  return {records().received.data() + sizeof(Header), sizeof(Header) + bytes};
}

bool GroupCall::open(std::span<const Opening> mine) {
  exchange_all(sizeof(Opening),
               [mine](std::size_t i) { return std::as_bytes(mine.subspan(i, 1)); });
  std::vector<Opening>& openings = records().all_openings;
  openings.resize(size());
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    const std::size_t stride = sizeof(Header) + sizeof(Opening);
    std::memcpy(&openings[rank], records().received.data() + rank * stride + sizeof(Header),
                sizeof(Opening));
    for (std::size_t term = 0; term < term_count; ++term) {
      if (openings[rank].terms.at(term) == openings[0].terms.at(term)) continue;
      throw Error(ErrorCategory::invalid_argument, std::string(name_of(static_cast<Term>(term))) +
                                                       " differs between rank 0 and rank " +
                                                       std::to_string(rank));
    }
  }
  bool all_early = true;
  group_.counts.clear();
  for (const Opening& one : openings) {
    group_.counts.push_back(one.count);
    all_early = all_early && one.early != 0;
  }
  return all_early;
}

void GroupCall::exchange(std::span<const Outgoing> sent, std::span<const Incoming> received) {
  const Deadline until = deadline();
  // From here on ranks may be late by a wait that others have no part in.
  late_ = true;
  if (sent.empty() && received.empty()) return;
  try {
    group_.transport->exchange(sent, received, until);
  } catch (...) {
    lost_messages_ = true;
    const Error error = error_of_exception();
    for (std::size_t i = 0; i < failures_.size(); ++i) fail(i, error);
  }
}

void refuse_over(const Group& group, const Error& error) {
  if (group.size() > 1) {
    GroupCall call(group, group.local_ranks().size());
    for (std::size_t i = 0; i < call.local().size(); ++i) call.fail(i, error);
    static_cast<void>(call.open(std::vector<Opening>(call.local().size())));
  }
  throw Error(error);
}

}  // namespace bifold::core
