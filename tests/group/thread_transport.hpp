// Ranks that are threads of one process, over a transport that can be made to go wrong.
#pragma once

#include <algorithm>
#include <atomic>
#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace bifold::test {

/// What befalls a call of a rank's transport.
enum class Fault : std::uint8_t {
  none,
  fails,      ///< Throws something instead of moving bytes.
  truncates,  ///< Of what is received, the second half is missing.
  delays,     ///< Comes a little late.
  flips,      ///< Of the first rank's header, which tells a failure, one bit is another.
};

/// Where the ranks' bytes meet.
class Board {
 public:
  explicit Board(std::uint32_t ranks) : ranks_(ranks) {}

  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }

  void gather(std::uint32_t rank, std::uint64_t turn, std::span<const std::byte> mine,
              std::span<std::byte> all, Deadline deadline) {
    std::unique_lock lock(mutex_);
    auto& given = gathered_[turn];
    given[rank].assign(mine.begin(), mine.end());
    changed_.notify_all();
    wait(lock, deadline, [&] { return given.size() == ranks_; });
    auto to = all.begin();
    for (const auto& [from, bytes] : given) {
      // Where ranks disagree about the size, as they must not, each takes what fits.
      const std::size_t room = std::min(bytes.size(), mine.size());
      to = std::copy_n(bytes.begin(), room, to) + static_cast<std::ptrdiff_t>(mine.size() - room);
    }
  }
  void send(const Outgoing& one) {
    const std::lock_guard lock(mutex_);
    mail_[{one.from, one.to}].emplace_back(one.bytes.begin(), one.bytes.end());
    changed_.notify_all();
  }
  void receive(const Incoming& one, Deadline deadline) {
    std::unique_lock lock(mutex_);
    auto& box = mail_[{one.from, one.to}];
    wait(lock, deadline, [&] { return !box.empty(); });
    std::copy_n(box.front().begin(), std::min(box.front().size(), one.bytes.size()),
                one.bytes.begin());
    box.erase(box.begin());
  }

 private:
  template <class There>
  void wait(std::unique_lock<std::mutex>& lock, Deadline deadline, const There& there) {
    if (!changed_.wait_until(lock, deadline, there)) {
      throw Error(ErrorCategory::timeout, "a rank did not come");
    }
  }

  std::uint32_t ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<std::byte>>> gathered_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<std::byte>>> mail_;
};

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(Board& board, std::uint32_t rank) : board_(board), rank_(rank) {}

  /// Call number `call` of this rank goes wrong.
  void spoil(std::uint64_t call, Fault fault) {
    spoilt_ = call;
    fault_ = fault;
  }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

  [[nodiscard]] std::uint32_t size() const override { return board_.ranks(); }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override { return {rank_}; }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline deadline) override {
    const Fault fault = begin();
    board_.gather(rank_, gathers_++, mine, all, deadline);
    if (fault == Fault::truncates) truncate(all);
    if (fault == Fault::flips) all[24] ^= std::byte{1};
  }
  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline deadline) override {
    const Fault fault = begin();
    for (const Outgoing& one : sent) board_.send(one);
    for (const Incoming& one : received) board_.receive(one, deadline);
    for (const Incoming& one : received) {
      if (fault == Fault::truncates) truncate(one.bytes);
    }
  }

 private:
  Fault begin() {
    const Fault fault = calls_++ == spoilt_ ? fault_ : Fault::none;
    if (fault == Fault::fails) throw std::runtime_error("the wire is cut");
    if (fault == Fault::delays) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return fault;
  }
  static void truncate(std::span<std::byte> bytes) {
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(),
              std::byte{});
  }

  Board& board_;
  std::uint32_t rank_;
  std::uint64_t gathers_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;
  std::uint64_t spoilt_ = ~std::uint64_t{0};
  Fault fault_ = Fault::none;
};

}  // namespace bifold::test
