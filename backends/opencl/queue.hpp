// Queues of the OpenCL backend.
#pragma once

#include <cstdint>
#include <vector>

#include "interface.hpp"
#include "opencl/clhpp.hpp"
#include "opencl/queue_kernels.hpp"

namespace bifold::backend::opencl {

/// An in-order command queue of its own. Keeps its context alive.
class Queue final : public backend::Queue {
 public:
  Queue(const cl::Context& context, const cl::Device& device, Timing timing);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() override;

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
  void wait(std::span<const backend::Event* const> events) override;
  void finish(TimeLimit limit) override;

 private:
  void check_transfer(cl_int code, const char* call) const;
  void drop_done_barriers();
  void report_dropped_work();

  cl::Context context_;
  cl::CommandQueue queue_;
  QueueKernels kernels_;
  std::uint64_t id_;
  std::uint64_t max_work_items_;  ///< What the device's size_t counts.
  bool timed_;
  std::vector<cl::Event> barriers_;  ///< Of wait(), until they are known to be done.
};

}  // namespace bifold::backend::opencl
