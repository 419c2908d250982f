// A transport by commands on the queues of one process, ordered by events.
#pragma once

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/group/stream_transport.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bifold::test {

class QueueTransport final : public StreamTransport {
 public:
  explicit QueueTransport(std::uint32_t ranks) : ranks_(ranks) {
    std::iota(ranks_.begin(), ranks_.end(), 0U);
  }

  /// The `call`th enqueue from now on throws.
  void fail_at(std::uint64_t call) { failing_ = calls_ + call; }
  /// How often it has enqueued something.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  /// How often hosts have exchanged something.
  [[nodiscard]] std::uint64_t host_calls() const noexcept { return host_calls_; }
  /// How often a host has waited for the queues.
  [[nodiscard]] std::uint64_t finishes() const noexcept { return finishes_; }

  [[nodiscard]] std::uint32_t size() const override {
    return static_cast<std::uint32_t>(ranks_.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override { return ranks_; }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline /*deadline*/) override {
    ++host_calls_;
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  void exchange(std::span<const Outgoing> /*sent*/, std::span<const Incoming> /*received*/,
                Deadline /*deadline*/) override {
    throw Error(ErrorCategory::unsupported, "elements go by queues");
  }

  void check(std::span<const Queue> queues) override {
    for (const Queue& queue : queues) {
      if (queue.device().info().selector == queues.front().device().info().selector) continue;
      throw Error(ErrorCategory::invalid_argument, "queues of different devices");
    }
  }
  void enqueue_all_gather(std::span<const StreamGather> ranks) override {
    begin();
    std::vector<Queue> queues;
    for (const StreamGather& rank : ranks) queues.push_back(rank.queue);
    meet(queues);
    for (const StreamGather& to : ranks) {
      for (std::size_t from = 0; from < ranks.size(); ++from) {
        Queue queue = to.queue;
        queue.copy(ranks[from].mine, part(to.all, from * to.mine.count, to.mine.count));
      }
    }
    meet(queues);
  }
  void enqueue_exchange(std::span<const StreamMessage> sent,
                        std::span<const StreamMessage> received) override {
    begin();
    std::vector<Queue> queues;
    for (const StreamMessage& one : sent) queues.push_back(one.queue);
    for (const StreamMessage& one : received) queues.push_back(one.queue);
    meet(queues);
    for (const StreamMessage& to : received) {
      const auto from = std::find_if(sent.begin(), sent.end(), [&to](const StreamMessage& one) {
        return one.from == to.from && one.to == to.to;
      });
      Queue queue = to.queue;
      queue.copy(from->elements, to.elements);
    }
    meet(queues);
  }
  void finish(std::span<const Queue> queues, Deadline deadline) override {
    ++finishes_;
    for (Queue queue : queues) queue.finish(deadline - std::chrono::steady_clock::now());
  }

 private:
  static ErasedView part(ErasedView view, std::uint64_t first, std::uint64_t count) {
    view.byte_offset += first * size_of(view.type);
    view.count = count;
    return view;
  }
  void begin() {
    if (++calls_ == failing_) throw Error(ErrorCategory::backend_failure, "the wire is cut");
  }
  // Each queue goes on behind what all have enqueued.
  static void meet(std::vector<Queue>& queues) {
    std::vector<Event> events;
    events.reserve(queues.size());
    for (Queue& queue : queues) events.push_back(queue.record());
    for (Queue& queue : queues) queue.wait_for(events);
  }

  std::vector<std::uint32_t> ranks_;
  std::uint64_t calls_ = 0;
  std::uint64_t failing_ = 0;
  std::uint64_t host_calls_ = 0;
  std::uint64_t finishes_ = 0;
};

}  // namespace bifold::test
