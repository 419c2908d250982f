// A queue of the toy backend. Kernels and events are the driver's own, so they need no classes.
#pragma once

#include <utility>

#include "interface.hpp"
#include "toy/counters.hpp"

namespace bifold::backend::toy {

class Queue final : public backend::Queue {
 public:
  Queue(std::unique_ptr<backend::Queue> driver, std::shared_ptr<Counters> counters)
      : driver_(std::move(driver)), counters_(std::move(counters)) {}

  void begin_call(Ordering ordering) override { driver_->begin_call(ordering); }
  void end_call() noexcept override { driver_->end_call(); }
  void fence() override { driver_->fence(); }
  [[nodiscard]] bool lost_work() override { return driver_->lost_work(); }

  void launch(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
              std::span<const Argument> arguments) override {
    driver_->launch(kernel, groups, group_size, arguments);
    ++counters_->launches;
  }
  void copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
            std::uint64_t from_offset, std::uint64_t bytes) override {
    driver_->copy(to, to_offset, from, from_offset, bytes);
  }
  void fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
            std::span<const std::byte> pattern) override {
    driver_->fill(to, offset, bytes, pattern);
  }
  void upload(const Memory& to, std::uint64_t offset, const void* host,
              std::uint64_t bytes) override {
    driver_->upload(to, offset, host, bytes);
    counters_->uploaded += bytes;
  }
  void download(void* host, const Memory& from, std::uint64_t offset,
                std::uint64_t bytes) override {
    driver_->download(host, from, offset, bytes);
    counters_->downloaded += bytes;
  }

  [[nodiscard]] std::unique_ptr<Event> record() override { return driver_->record(); }
  void check_wait(std::span<const Event* const> events) const override {
    driver_->check_wait(events);
  }
  void wait(std::span<const Event* const> events) override { driver_->wait(events); }
  void finish(TimeLimit limit) override { driver_->finish(limit); }
  [[nodiscard]] WorkEnd settle(std::chrono::nanoseconds limit) noexcept override {
    return driver_->settle(limit);
  }
  [[nodiscard]] bool transfer_pending() const noexcept override {
    return driver_->transfer_pending();
  }
  [[nodiscard]] bool records_graph(std::span<const Event* const> events) const override {
    return driver_->records_graph(events);
  }

 private:
  std::unique_ptr<backend::Queue> driver_;
  std::shared_ptr<Counters> counters_;
};

}  // namespace bifold::backend::toy
