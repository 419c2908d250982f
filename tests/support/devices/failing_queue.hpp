// The device under test, whose queues fail when they are told to.
#pragma once

#include <atomic>
#include <bifold/error.hpp>
#include <memory>
#include <utility>

#include "support/devices/altered_device.hpp"

namespace bifold::test {

/// The command of that number from now on fails to be enqueued, from 1 on, whichever thread's.
class CountedCommands {
 public:
  /// Of a call of a driver's, where one is named.
  void fail(int nth, ErrorCategory category = ErrorCategory::backend_failure,
            const char* call = "") {
    category_ = category;
    call_ = call;
    left_ = nth;
  }
  /// Whether queues say that a graph is recorded.
  void capture(bool captured) { captured_ = captured; }
  [[nodiscard]] bool captured() const { return captured_; }
  /// No command fails any more. Whether one has.
  bool stop() {
    left_ = 0;
    return failed_.exchange(false);
  }
  void next() {
    if (left_ <= 0 || left_.fetch_sub(1) != 1) return;
    failed_ = true;
    Error::Details details;
    details.call = call_;
    throw Error(category_, "a command fails as it is told to", std::move(details));
  }

 private:
  std::atomic<int> left_{0};
  std::atomic<bool> failed_{false};
  std::atomic<ErrorCategory> category_{ErrorCategory::backend_failure};
  std::atomic<const char*> call_{""};
  std::atomic<bool> captured_{false};
};

class FailingQueue : public backend::Queue {
 public:
  FailingQueue(std::unique_ptr<backend::Queue> queue, std::shared_ptr<CountedCommands> commands)
      : queue_(std::move(queue)), commands_(std::move(commands)) {}

  void begin_call(backend::Ordering ordering) override { queue_->begin_call(ordering); }
  void end_call() noexcept override { queue_->end_call(); }
  void fence() override { queue_->fence(); }
  [[nodiscard]] bool lost_work() override { return queue_->lost_work(); }
  [[nodiscard]] std::uint64_t losses_told() const noexcept override {
    return queue_->losses_told();
  }
  void launch(const backend::Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
              std::span<const backend::Argument> arguments) override {
    commands_->next();
    queue_->launch(kernel, groups, group_size, arguments);
  }
  void copy(const detail::Memory& to, std::uint64_t to_offset, const detail::Memory& from,
            std::uint64_t from_offset, std::uint64_t bytes) override {
    commands_->next();
    queue_->copy(to, to_offset, from, from_offset, bytes);
  }
  void fill(const detail::Memory& to, std::uint64_t offset, std::uint64_t bytes,
            std::span<const std::byte> pattern) override {
    commands_->next();
    queue_->fill(to, offset, bytes, pattern);
  }
  void upload(const detail::Memory& to, std::uint64_t offset, const void* host,
              std::uint64_t bytes) override {
    commands_->next();
    queue_->upload(to, offset, host, bytes);
  }
  void download(void* host, const detail::Memory& from, std::uint64_t offset,
                std::uint64_t bytes) override {
    commands_->next();
    queue_->download(host, from, offset, bytes);
  }
  [[nodiscard]] std::unique_ptr<backend::Event> record() override {
    commands_->next();
    return queue_->record();
  }
  void check_wait(std::span<const backend::Event* const> events) const override {
    queue_->check_wait(events);
  }
  void wait(std::span<const backend::Event* const> events) override { queue_->wait(events); }
  void finish(TimeLimit limit) override { queue_->finish(limit); }
  [[nodiscard]] backend::WorkEnd settle(std::chrono::nanoseconds limit) noexcept override {
    return queue_->settle(limit);
  }
  [[nodiscard]] bool transfer_pending() const noexcept override {
    return queue_->transfer_pending();
  }
  [[nodiscard]] bool records_graph(std::span<const backend::Event* const> events) const override {
    return commands_->captured() || queue_->records_graph(events);
  }

 private:
  std::unique_ptr<backend::Queue> queue_;
  std::shared_ptr<CountedCommands> commands_;
};

class DeviceOfFailingQueues final : public AlteredDevice {
 public:
  DeviceOfFailingQueues(std::shared_ptr<backend::Device> device,
                        std::shared_ptr<CountedCommands> commands)
      : AlteredDevice(device, device->capabilities()),
        device_(std::move(device)),
        commands_(std::move(commands)) {}
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override {
    return std::make_unique<FailingQueue>(device_->create_queue(timing), commands_);
  }

 private:
  std::shared_ptr<backend::Device> device_;
  std::shared_ptr<CountedCommands> commands_;
};

/// The device under test with such queues.
inline Device device_of_failing_queues(const std::shared_ptr<CountedCommands>& commands) {
  const auto& real = device().state();
  return Device(core::open_state(
      real->info, std::make_shared<DeviceOfFailingQueues>(real->backend, commands), {}));
}

}  // namespace bifold::test
