// Queues of the OpenCL backend.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"
#include "opencl/queue/event_order.hpp"
#include "opencl/queue/queue_kernels.hpp"

namespace bifold::backend::opencl {

/// A command queue of its own, in order, or one of the application's, of either kind. Keeps its
/// native queue and context alive. An adopted queue is flushed and finished by calls that block
/// only.
class Queue final : public backend::Queue {
 public:
  Queue(const cl::Context& context, const cl::Device& device, Timing timing);
  /// Adopts a queue of that device and context.
  Queue(const cl::Context& context, const cl::Device& device, cl::CommandQueue queue);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() override;

  void begin_call(Ordering ordering) override;
  void end_call() noexcept override;
  void fence() override;
  [[nodiscard]] bool lost_work() override;
  [[nodiscard]] std::uint64_t losses_told() const noexcept override { return losses_told_; }

  void launch(const backend::Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
              std::span<const Argument> arguments) override;
  void copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
            std::uint64_t from_offset, std::uint64_t bytes) override;
  void fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
            std::span<const std::byte> pattern) override;
  void upload(const Memory& to, std::uint64_t offset, const void* host,
              std::uint64_t bytes) override;
  void download(void* host, const Memory& from, std::uint64_t offset, std::uint64_t bytes) override;
  [[nodiscard]] std::unique_ptr<backend::Event> record() override;
  void check_wait(std::span<const backend::Event* const> events) const override;
  void wait(std::span<const backend::Event* const> events) override;
  void finish(TimeLimit limit) override;
  [[nodiscard]] WorkEnd settle(std::chrono::nanoseconds limit) noexcept override;
  [[nodiscard]] bool transfer_pending() const noexcept override { return transfer_pending_; }

  /// For whoever enqueues in it beside bifold.
  [[nodiscard]] cl_command_queue native() const noexcept { return queue_(); }

 private:
  template <class Enqueue>
  cl_int enqueue(Enqueue command);
  [[nodiscard]] cl::Event enqueue_marker();
  void check_transfer(cl_int code, const char* call);
  void report_dropped_work();

  cl::Context context_;
  cl::CommandQueue queue_;
  QueueKernels kernels_;
  std::uint64_t id_;
  std::uint64_t max_work_items_;  ///< What the device's size_t counts.
  bool adopted_;
  bool timed_;
  /// Whether it has waited for an event that the application, or something in front, may fail.
  bool behind_others_ = false;
  std::atomic<bool> transfer_pending_ = false;
  std::uint64_t losses_told_ = 0;
  /// What an event that fails may drop. Where the native queue is in order, the barriers of wait()
  /// and what is enqueued behind them; else every command.
  Watched watched_;
  std::optional<EventOrder> order_;  ///< Where the native queue keeps none.
};

}  // namespace bifold::backend::opencl
