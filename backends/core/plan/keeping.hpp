// How long a device keeps a plan, and with it the plan's kernels.
#pragma once

#include <atomic>
#include <bifold/event.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace bifold::core {

/// Thread-safe.
class Keeping {
 public:
  explicit Keeping(bool may_go) noexcept : may_go_(may_go) {}

  /// Whether the plan may be dropped when there are too many kernels.
  [[nodiscard]] bool may_go() const noexcept { return may_go_ && !stays_; }
  /// It may not any more: a graph launches its kernels, or nothing tells when they end.
  void stay() noexcept { stays_ = true; }

  /// When it was used last, in uses of such plans.
  [[nodiscard]] std::uint64_t last_use() const noexcept { return last_use_; }
  void use(std::uint64_t now) noexcept { last_use_ = now; }

  /// Kernels of it run until then. CUDA does not promise that a module's end waits for them.
  void add_work(const Event& end);
  /// Whether none of them runs any more.
  [[nodiscard]] bool is_idle();

 private:
  void forget_ended();

  const bool may_go_;
  std::atomic<bool> stays_{false};
  std::atomic<std::uint64_t> last_use_{0};
  std::mutex mutex_;  // Protects those below.
  std::vector<Event> ends_;
  std::size_t many_ = 8;
};

}  // namespace bifold::core
