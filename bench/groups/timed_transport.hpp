// A transport that another one does the work of: how long that takes, and how much it sends.
#pragma once

#include <bifold/group/group.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace bench {

class TimedTransport final : public bifold::Transport {
 public:
  struct Spent {
    double seconds = 0;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;  ///< Given by the ranks of this process.
  };

  explicit TimedTransport(std::shared_ptr<bifold::Transport> by) : by_(std::move(by)) {}

  /// Since the last time it was asked.
  [[nodiscard]] Spent spent() { return std::exchange(spent_, {}); }

  [[nodiscard]] std::uint32_t size() const override { return by_->size(); }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override {
    return by_->local_ranks();
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  bifold::Deadline deadline) override {
    spent_.bytes += mine.size();
    timed([&] { by_->all_gather(mine, all, deadline); });
  }
  void exchange(std::span<const bifold::Outgoing> sent, std::span<const bifold::Incoming> received,
                bifold::Deadline deadline) override {
    for (const bifold::Outgoing& one : sent) spent_.bytes += one.bytes.size();
    timed([&] { by_->exchange(sent, received, deadline); });
  }

 private:
  void timed(auto call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    spent_.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++spent_.calls;
  }

  std::shared_ptr<bifold::Transport> by_;
  Spent spent_;
};

}  // namespace bench
