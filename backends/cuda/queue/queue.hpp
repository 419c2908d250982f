// A queue: one CUDA stream.
#pragma once

#include <atomic>
#include <bifold/queue.hpp>
#include <chrono>
#include <memory>
#include <span>

#include "cuda/queue/stream.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

class Queue final : public backend::Queue {
 public:
  Queue(std::shared_ptr<const Stream> stream, Timing timing)
      : stream_(std::move(stream)), timing_(timing) {}

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
  [[nodiscard]] backend::WorkEnd settle(std::chrono::nanoseconds limit) noexcept override;
  [[nodiscard]] bool transfer_pending() const noexcept override { return transfer_pending_; }
  [[nodiscard]] bool records_graph(std::span<const backend::Event* const> events) const override;

  /// Records an event of the application's, of this queue's context, behind everything before it.
  void record(CUevent event);

  /// For whoever enqueues in it beside bifold.
  [[nodiscard]] CUstream native() const { return stream_->get(); }

 private:
  /// The stream, for work that does not wait. Throws unsupported where enqueuing is impossible.
  [[nodiscard]] CUstream usable_stream() const;
  /// The end of a transfer, whose call gave `enqueued`: throws when something has failed.
  void end_transfer(CUresult enqueued, const char* call);
  static void fill_words(CUstream stream, CUdeviceptr start, std::uint64_t count,
                         std::uint64_t word);

  std::shared_ptr<const Stream> stream_;
  Timing timing_;
  std::atomic<bool> transfer_pending_ = false;
};

}  // namespace bifold::backend::cuda
